import { execFileSync } from 'node:child_process';

/** Compiles `src` before the tests: workers and child processes run what ships, from `dist`. */
export default function buildOnce(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
