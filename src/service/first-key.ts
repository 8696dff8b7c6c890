import type { IssuedKey, KeyAdministration } from '../accounts/key-administration.js';
import { OutputError, writeError } from '../output/write-output.js';

/**
 * Issues the first key of a store and shows it. Where it cannot be shown there is no key, standard error says so, and
 * the next start tries again.
 * @param show throws OutputError
 * @returns nothing where the store holds a key already or the first could not be shown
 */
export async function issueFirstKey(
  keys: KeyAdministration,
  show: (issued: IssuedKey) => void,
): Promise<IssuedKey | null> {
  try {
    return await keys.issueFirst('hypha', 'first run', show);
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    writeError(
      `nurselog: the first API key could not be shown and was not issued, because ${error.message}; issue one with ` +
        '"npm run --silent keys -- issue --tier hypha --owner NAME"\n',
    );
    return null;
  }
}
