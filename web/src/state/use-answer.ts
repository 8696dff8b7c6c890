import { useEffect, useRef, useState } from 'preact/hooks';
import { attempt } from './connection.js';

export interface Loading<Answer> {
  /** The last answer, also while the next is loaded. */
  readonly answer: Answer | null;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** Changes that follow one another faster, as of a slider, are asked once, this long after the last. */
const PAUSE_MS = 150;

/**
 * Loads an answer, and again when its question changes.
 * @param question a text that differs where another answer is needed; null for none
 */
export function useAnswer<Answer>(
  question: string | null,
  load: (signal: AbortSignal) => Promise<Answer>,
): Loading<Answer> {
  const [state, setState] = useState<Loading<Answer>>({ answer: null, error: null, isLoading: false });
  const round = attempt.value;
  const lastChange = useRef(Number.NEGATIVE_INFINITY);
  // The question stands for what load reads, the round for asking it again.
  useEffect(() => {
    if (question === null) {
      setState({ answer: null, error: null, isLoading: false });
      return undefined;
    }
    const controller = new AbortController();
    setState(({ answer }) => ({ answer, error: null, isLoading: true }));
    const isQuick = performance.now() - lastChange.current < PAUSE_MS;
    lastChange.current = performance.now();
    const timer = setTimeout(
      () => {
        load(controller.signal).then(
          (answer) => {
            if (!controller.signal.aborted) setState({ answer, error: null, isLoading: false });
          },
          (error: Error) => {
            if (!controller.signal.aborted) setState({ answer: null, error, isLoading: false });
          },
        );
      },
      isQuick ? PAUSE_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [question, round]);
  return state;
}
