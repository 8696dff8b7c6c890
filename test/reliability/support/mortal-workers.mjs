import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

// Preloaded into the real service with NODE_OPTIONS: its worker threads die, when the process gets SIGUSR2, in the middle
// of a run, as a crash would have them. DEATH says how.

const NAME = 'mortal workers';
/** Of the shared counters: deaths that were ordered and have not happened yet; whether new workers die at their start, or wait. */
const ORDERED = 0;
const STILLBORN = 1;
const LATE = 2;
/** Longer than the service waits for a worker that is not being replaced. */
const LATE_MS = 12_000;

const DEATHS = {
  throw() {
    throw new Error('thrown in the middle of a run');
  },
  exit() {
    process.exit(3);
  },
  memory() {
    const hoard = [];
    for (;;) hoard.push(new Array(10_000).fill(Math.random()));
  },
  /** onnxruntime reads the dimensions of a tensor by a call from C++, where it expects no error but JavaScript's. */
  'memory inside onnxruntime'(_counters, [feeds]) {
    const [tensor] = Object.values(feeds);
    Object.defineProperty(tensor, 'dims', { get: () => DEATHS.memory() });
  },
  'exit, with a late return'(counters) {
    Atomics.store(counters, LATE, 1);
    process.exit(3);
  },
  'for good'(counters) {
    Atomics.store(counters, STILLBORN, 1);
    process.exit(3);
  },
};

if (isMainThread) {
  const counters = new Int32Array(new SharedArrayBuffer(12));
  setEnvironmentData(NAME, counters);
  process.on('SIGUSR2', () => Atomics.add(counters, ORDERED, 1));
} else {
  const counters = getEnvironmentData(NAME);
  if (Atomics.load(counters, STILLBORN) === 1) process.exit(4);
  Atomics.wait(counters, LATE, 1, LATE_MS);
  const { InferenceSession } = await import('onnxruntime-node');
  const { run } = InferenceSession.prototype;
  InferenceSession.prototype.run = function (...inputs) {
    const ordered = Atomics.load(counters, ORDERED);
    if (ordered > 0 && Atomics.compareExchange(counters, ORDERED, ordered, ordered - 1) === ordered) {
      DEATHS[process.env.DEATH](counters, inputs);
    }
    return run.apply(this, inputs);
  };
}
