import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What the users of the image are here. */
const UNPRIVILEGED = 65_534;

/** What a Dockerfile makes, without a container engine: its stages are folders, and its commands run in them. */
export interface Image {
  /** Where its root is. */
  readonly root: string;
  readonly workFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The command line of its process. */
  readonly command: readonly string[];
  /** The command line that tells its health. */
  readonly healthCheck: readonly string[];
  /** The user to run it as, where this process may choose. */
  readonly user: { uid?: number; gid?: number };
}

/**
 * Follows the instructions that deploy/Dockerfile uses. What it installs with apt-get is to be on the PATH already: a
 * folder has no package manager.
 *
 * @param context the folder that COPY copies from
 * @param folder where stages are made
 */
export async function buildImage(dockerfile: string, context: string, folder: string): Promise<Image> {
  const stages = new Map<string, string>();
  let root = folder;
  let workFolder = '/';
  let environment: Record<string, string> = {};
  const commands: Record<string, readonly string[]> = {};

  for (const [instruction, rest] of instructions(dockerfile)) {
    if (instruction === 'FROM') {
      const [, name = 'last'] = rest.split(' AS ');
      root = path.join(folder, name);
      stages.set(name, root);
      environment = {};
    } else if (instruction === 'WORKDIR') {
      workFolder = rest;
      mkdirSync(path.join(root, workFolder), { recursive: true });
    } else if (instruction === 'COPY') {
      const stage = /^--from=(\S+) /.exec(rest)?.[1];
      const names = rest.split(' ').filter((word) => !word.startsWith('--'));
      const to = names.pop()!;
      for (const name of names) {
        const target = to.endsWith('/') ? path.join(to, name) : to;
        cpSync(
          path.join(stage === undefined ? context : stages.get(stage)!, name),
          path.resolve(root, workFolder.slice(1), target),
          { recursive: true, verbatimSymlinks: true },
        );
      }
    } else if (instruction === 'RUN' && !rest.startsWith('apt-get')) {
      const command = rest.replaceAll('node:node', `${UNPRIVILEGED}:${UNPRIVILEGED}`);
      await run('sh', ['-e', '-c', command], { cwd: path.join(root, workFolder), maxBuffer: 2 ** 24 });
    } else if (instruction === 'ENV') {
      const [name, value] = rest.split('=');
      environment[name!] = value!;
    } else if (['ENTRYPOINT', 'CMD', 'HEALTHCHECK'].includes(instruction)) {
      commands[instruction] = JSON.parse(rest.slice(rest.indexOf('['))) as string[];
    }
  }
  return {
    root,
    workFolder: path.join(root, workFolder),
    environment,
    command: [...commands.ENTRYPOINT!, ...commands.CMD!],
    healthCheck: commands.HEALTHCHECK!,
    user: process.getuid!() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {},
  };
}

function instructions(dockerfile: string): [instruction: string, rest: string][] {
  return readFileSync(dockerfile, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]);
}
