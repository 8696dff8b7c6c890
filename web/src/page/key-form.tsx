import { useLayoutEffect, useState } from 'preact/hooks';
import { trouble, tryAgain } from '../state/connection.js';
import { isMalformed, key, takeKey } from '../state/key.js';

/** Asks for the key, and says why the last one was not accepted. */
export function KeyForm() {
  const [text, setText] = useState('');
  const now = trouble.value;
  const refused = now?.problem === 'key_refused' || now?.problem === 'key_inactive' ? now : null;
  // A refused key was typed in a form that is gone, or the form has replaced the page.
  useLayoutEffect(() => {
    if (refused !== null) document.getElementById('key')?.focus();
  }, [refused !== null]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (takeKey(text)) tryAgain();
  };
  return (
    <main class="welcome">
      <h1>nurselog planner</h1>
      <p>
        How likely is a planted tree to survive in Oregon or Washington, by species, site and planting method?
        This page shows it on a map, for a site, and for your planting units.
      </p>
      {refused !== null && (
        <div class="error" role="alert">
          <strong>
            {refused.problem === 'key_inactive' ? 'This key is deactivated.' : 'This key is not accepted.'}
          </strong>{' '}
          {refused.problem === 'key_inactive'
            ? 'Ask the operator of the service to activate it, or use another key.'
            : 'The service does not know it. Check that it was copied completely and that it is a key of this service.'}
        </div>
      )}
      <form onSubmit={submit}>
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={text}
          placeholder="nurse_live_…"
          aria-describedby="key-problem key-help"
          aria-invalid={isMalformed.value}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="primary">
          Open the planner
        </button>
        {isMalformed.value && (
          <p id="key-problem" class="error" role="alert">
            That is no key: a key is nurse_live_ followed by 32 digits and letters from a to f.
          </p>
        )}
      </form>
      <p id="key-help">
        A key identifies you to the service and sets how many requests a day you may send. The service prints
        a first key, with a link to this page, when it starts for the first time; its operator issues others.
        The page keeps your key until you close this tab, and sends it only to this service.
      </p>
      {key.value !== null && (
        <button type="button" onClick={tryAgain}>
          Try the same key again
        </button>
      )}
    </main>
  );
}
