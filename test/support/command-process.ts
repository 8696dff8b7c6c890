import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Where a command writes to: a pipe that is read, one whose reader is gone, a disk that is full, or the null device. */
export type OutputTo = 'a reader' | 'a closed pipe' | 'a full disk' | 'nobody';

const FILES: Readonly<Partial<Record<OutputTo, string>>> = {
  'a full disk': '/dev/full',
  nobody: '/dev/null',
};

/** The result of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command as it ships, in a process of its own. */
export async function runCommand(
  command: 'keys' | 'models',
  args: readonly string[],
  environment: Record<string, string>,
  outputTo: OutputTo = 'a reader',
): Promise<CommandResult> {
  const file = path.join(import.meta.dirname, `../../dist/cli/${command}.js`);
  const outputFile = FILES[outputTo];
  const output = outputFile === undefined ? undefined : openSync(outputFile, 'w');
  const child = spawn(process.execPath, [file, ...args], {
    env: environment,
    stdio: ['ignore', output ?? 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (output !== undefined) closeSync(output);
  if (outputTo === 'a closed pipe') child.stdout!.destroy();
  const [stdout, stderr, [code]] = await Promise.all([
    outputTo === 'a reader' ? text(child.stdout!) : '',
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}
