import type { FastifyInstance } from 'fastify';
import { quote, shorten } from '../output/printable.js';

/** An address that cannot be listened on; the message names its variables and what is wrong, in one line. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * Has a server listen on the address that two variables give.
 * @throws ListenError
 */
export async function listen(
  app: FastifyInstance,
  variables: { readonly host: string; readonly port: string },
  address: { readonly host: string; readonly port: number },
): Promise<void> {
  try {
    await app.listen({ host: address.host, port: address.port });
  } catch (error) {
    throw new ListenError(
      `cannot listen on ${variables.host} ${quote(address.host)}, ${variables.port} ${address.port}: ` +
        `${shorten((error as Error).message)}; it must be a free port of an address of this machine`,
      { cause: error },
    );
  }
}
