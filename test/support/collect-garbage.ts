import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Has V8 collect the garbage of this thread. Some is found only by the next collection, or freed in a later turn. */
export const collectGarbage = runInNewContext('gc') as () => void;
