import type { FastifyInstance } from 'fastify';
import { quote, shorten } from '../output/printable.js';

/** An address that cannot be listened on; the message is one line with its variables and the reason. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * Makes a server listen on an address.
 * @param variables the names of the variables that configure the address
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
