import { fileOf } from '../accounts/store/account-store.js';
import type { IssuedKey, KeyAdministration } from '../accounts/store/key-administration.js';
import { StoreUnavailableError } from '../accounts/store/store-errors.js';
import type { Log } from '../log.js';
import { OutputError, writeError } from '../output/write-output.js';

/** The command also works in a container, where npm cannot build. */
const ISSUE_HINT =
  'issue one with "node dist/cli/keys.js issue --tier hypha --owner NAME" in the working folder and with the DATABASE_URL of this process';

const EXAMPLE_REQUEST =
  '{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual"}';

/** URLs of loopback addresses, including those of IPv4 mapped to IPv6. */
const LOOPBACK = /^http:\/\/(127\.|\[::ffff:127\.|\[::1\])/;

/**
 * Issues the first key of an embedded store and shows it in a text. No key is issued where it cannot be shown; standard error
 * says so, and the next start tries again. For a shared store, or an API that other machines can reach, it only logs how
 * to issue a key.
 * @param show throws OutputError where it cannot
 */
export async function prepareFirstKey(
  databaseUrl: string,
  apiUrl: string,
  hasPage: boolean,
  keys: KeyAdministration,
  log: Log,
  show: (text: string) => void,
): Promise<void> {
  if (fileOf(databaseUrl) === undefined || !LOOPBACK.test(apiUrl)) {
    const hasKeys = await keys.hasKeys().catch((error) => {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return true; // /readyz reports the store
    });
    if (!hasKeys) log.warn(`the key store has no keys; ${ISSUE_HINT}`);
    return;
  }
  try {
    await keys.issueFirst('hypha', 'first run', (issued) => show(firstKeyText(apiUrl, issued, hasPage)));
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    const reason = `the first API key could not be shown and was not issued, because ${error.message}`;
    writeError(`nurselog: ${reason}; ${ISSUE_HINT}\n`);
  }
}

/** The new key, a link to the page with it, and a request that works as printed. The part after # is not sent to any server. */
function firstKeyText(apiUrl: string, { secret }: IssuedKey, hasPage: boolean): string {
  const page = `Open the planner's page with it:\n\n  ${apiUrl}/#key=${secret}\n\n`;
  return `
nurselog is ready on ${apiUrl} (documentation: ${apiUrl}/docs).

Your first API key, tier hypha. It is shown only this once:

  ${secret}

${hasPage ? page : ''}Try it:

  curl -s ${apiUrl}/v1/predict -H 'X-API-Key: ${secret}' -H 'Content-Type: application/json' -d '${EXAMPLE_REQUEST}'

`;
}
