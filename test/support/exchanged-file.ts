import { execFileSync, spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';

/**
 * Exchanges the content of a file between its first reading and the next: whoever opens it first reads what it holds
 * now, whoever opens it later reads `later`. The file becomes a named pipe; when its reader has opened it, the new file
 * is moved to its place, and only then does the reader get its bytes.
 */
export function exchangeAfterFirstRead(file: string, later: Buffer | string): void {
  renameSync(file, `${file}.first`);
  writeFileSync(`${file}.later`, later);
  execFileSync('mkfifo', [file]);
  const script = 'exec 3>"$0"; mv -f "$0.later" "$0"; cat "$0.first" >&3';
  const writer = spawn('sh', ['-c', script, file], { stdio: 'ignore' });
  onTestFinished(() => void writer.kill('SIGKILL'));
}
