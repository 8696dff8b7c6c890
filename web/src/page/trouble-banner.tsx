import { continuesByItself, type Problem, trouble, tryAgain } from '../state/connection.js';
import { forgetKey } from '../state/key.js';
import { timeText } from './format.js';

/** What is wrong, in a sentence. */
export const PROBLEMS: Readonly<Record<Problem, string>> = {
  key_refused: 'This key is not accepted.',
  key_inactive: 'This key is deactivated.',
  quota: 'The key has used all its requests for today.',
  busy: 'The service is busy or restarting.',
  offline: 'The service cannot be reached.',
  intercepted: 'Another server answers in place of the service, such as the login page of a network.',
};

/** Says why there are no new answers; earlier answers remain on the page. */
export function TroubleBanner() {
  const now = trouble.value;
  if (now === null) return null;
  const more = now.resetsAt === undefined ? now.message : `New requests from ${timeText(now.resetsAt)}.`;
  return (
    <div class="banner" role="alert" data-problem={now.problem}>
      <strong>{PROBLEMS[now.problem]}</strong> {now.problem === 'offline' ? 'Is it running?' : more}{' '}
      {continuesByItself(now.problem) && 'The page continues by itself when it is back.'}
      <button type="button" onClick={tryAgain}>
        Try again
      </button>
      {now.problem === 'quota' && (
        <button type="button" onClick={forgetKey}>
          Use another key
        </button>
      )}
    </div>
  );
}
