import { ReloadSignal } from './service/signals.js';

// Unhandled, SIGHUP ends the process: the handler is installed before the other modules load, which takes most of a second.
const reloadSignal = new ReloadSignal();
const { run } = await import('./service/run.js');
await run(process.argv.slice(2), process.env, reloadSignal);
