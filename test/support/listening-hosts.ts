import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

function linkOrNothing(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return ''; // closed since it was listed
  }
}

/**
 * Where a process listens for TCP, in alphabetical order, each as the host of a URL: `127.0.0.1:8080`, `[::1]:8080`.
 *
 * A test that connects instead may reach another process: two processes can have the same port, each of another address.
 * Only on Linux, with the byte order of x86 and ARM. See proc_pid_net(5).
 */
export function listeningHosts(pid: number): string[] {
  const descriptors = `/proc/${pid}/fd`;
  const own = new Set(readdirSync(descriptors).map((name) => linkOrNothing(`${descriptors}/${name}`)));
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'latin1').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(`socket:[${inode}]`))
    .map(([, local]) => {
      const [address, port] = local!.split(':') as [string, string];
      // Words of four bytes, each with its last byte first.
      const bytes = Buffer.from(address, 'hex').swap32();
      const host =
        bytes.length === 4 ? bytes.join('.') : `[${bytes.toString('hex').match(/.{4}/g)!.join(':')}]`;
      return new URL(`tcp://${host}:${Number.parseInt(port, 16)}`).host;
    })
    .sort();
}
