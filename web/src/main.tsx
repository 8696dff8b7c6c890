import { render } from 'preact';
import { keepFocus } from './page/keep-focus.js';
import { Page } from './page/page.js';
import { dropUnknownChoices } from './state/catalogues.js';
import { followAddress, readAddress } from './state/choices.js';
import { checkHealth } from './state/connection.js';
import { startKeeping } from './state/keep-work.js';
import { takeKeyFromAddress } from './state/key.js';
import './styles/base.css';
import './styles/header.css';
import './styles/map.css';
import './styles/panels.css';
import './styles/work.css';
import './styles/narrow.css';
import './styles/forced-colours.css';
import './styles/print.css';

takeKeyFromAddress();
// For a link with a key that is opened in this tab. Before followAddress, whose listener rewrites the address.
window.addEventListener('hashchange', takeKeyFromAddress);
const hasChoices = location.hash.length > 1;
readAddress();
await startKeeping(hasChoices);
followAddress();
dropUnknownChoices();
// The service may have loaded other models while another tab was shown.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void checkHealth();
});
// The browser's message has an address and no advice.
window.addEventListener('vite:preloadError', ({ payload }) => {
  payload.message =
    'A part of the page cannot be loaded. Try again when the service is back; reload the page if it was updated.';
});
const root = document.getElementById('page');
if (root !== null) {
  root.replaceChildren(); // removes the note that the page is loading
  render(<Page />, root);
  keepFocus(root);
}
