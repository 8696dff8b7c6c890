import { useEffect, useRef, useState } from 'preact/hooks';
import { catalogues } from './catalogues.js';
import { attempt } from './connection.js';

export interface Loading<Answer> {
  /** The last answer, also while the next is loaded. */
  readonly answer: Answer | null;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** Pause before a change is loaded, in ms. Of faster changes, such as those of a slider, only the last is loaded. */
const PAUSE_MS = 150;

/**
 * Loads an answer, and again when its question changes or the service has other models.
 * @param asking a text that changes when another answer is needed; null for none
 * @param errorIn the error of an incomplete answer: such an answer is shown, and loaded again like a failed one
 */
export function useAnswer<Answer>(
  asking: string | null,
  load: (signal: AbortSignal) => Promise<Answer>,
  errorIn: (answer: Answer) => Error | null = () => null,
): Loading<Answer> {
  const question = asking === null ? null : `${catalogues.value?.model.digest} ${asking}`;
  const [{ asked, ...state }, setState] = useState<Loading<Answer> & { readonly asked: string | null }>({
    asked: null,
    answer: null,
    error: null,
    isLoading: false,
  });
  const latestRound = attempt.value;
  // Only what failed is loaded again.
  const round = useRef(latestRound);
  if (state.error !== null) round.current = latestRound;
  const lastChange = useRef(Number.NEGATIVE_INFINITY);
  // The question identifies what load reads; another round loads it again.
  useEffect(() => {
    if (question === null) {
      setState({ asked: null, answer: null, error: null, isLoading: false });
      return undefined;
    }
    const controller = new AbortController();
    setState(({ answer }) => ({ asked: question, answer, error: null, isLoading: true }));
    const isQuick = performance.now() - lastChange.current < PAUSE_MS;
    lastChange.current = performance.now();
    const timer = setTimeout(
      () => {
        load(controller.signal).then(
          (answer) => {
            if (!controller.signal.aborted)
              setState({ asked: question, answer, error: errorIn(answer), isLoading: false });
          },
          (error: Error) => {
            if (!controller.signal.aborted)
              setState({ asked: question, answer: null, error, isLoading: false });
          },
        );
      },
      isQuick ? PAUSE_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [question, round.current]);
  // Loading begins when the question changes, before the effect runs.
  return { ...state, isLoading: state.isLoading || asked !== question };
}
