import type { IssuedKey, KeyAdministration } from '../accounts/key-administration.js';
import { isEmbedded } from '../accounts/store/account-store.js';
import type { Log } from '../log.js';
import { OutputError, writeError } from '../output/write-output.js';

/** Works in a container, too, where npm has nothing to build with. */
const ISSUE_COMMAND = 'node dist/cli/keys.js issue --tier hypha --owner NAME';
const ISSUE_HINT = `issue one with "${ISSUE_COMMAND}" in the working folder and with the DATABASE_URL of this process`;

const EXAMPLE_REQUEST =
  '{"latitude":44.12,"longitude":-122.03,"species_code":"PSME","planting_method":"manual"}';

/** The addresses that only this machine reaches, also as IPv6 writes those of IPv4. */
const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

/**
 * Issues the first key of an embedded store and shows it. No key is issued where it cannot be shown; standard error
 * says so, and the next start tries again. For a shared store, or an API that other machines can reach, it only logs how
 * to issue a key.
 * @param address that the API listens on
 * @param show shows the key; throws OutputError
 */
export async function prepareFirstKey(
  databaseUrl: string,
  address: string,
  keys: KeyAdministration,
  log: Log,
  show: (issued: IssuedKey) => void,
): Promise<void> {
  if (!isEmbedded(databaseUrl) || !LOOPBACK.test(address)) {
    if (!(await keys.hasKeys())) log.warn(`the key store has no keys; ${ISSUE_HINT}`);
    return;
  }
  try {
    await keys.issueFirst('hypha', 'first run', show);
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    writeError(
      `nurselog: the first API key could not be shown and was not issued, because ${error.message}; ` +
        `${ISSUE_HINT}\n`,
    );
  }
}

/**
 * The text of a first run: the new key, a link to the page with it, and a request that works as printed. The part of a
 * link after # is not sent to any server.
 * @param hasPage whether the planner's page is served
 */
export function firstKeyText(apiUrl: string, { secret }: IssuedKey, hasPage: boolean): string {
  const page = `Open the planner's page with it:

  ${apiUrl}/#key=${secret}

`;
  return `
nurselog is ready on ${apiUrl} (its documentation: ${apiUrl}/docs).

Your first API key, tier hypha. It is shown only this once:

  ${secret}

${hasPage ? page : ''}Try it:

  curl -s ${apiUrl}/v1/predict -H 'X-API-Key: ${secret}' -H 'Content-Type: application/json' -d '${EXAMPLE_REQUEST}'

`;
}
