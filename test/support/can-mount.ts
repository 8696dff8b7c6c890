import { execFileSync } from 'node:child_process';

/** Whether this user may mount file systems, which tests of full disks need. */
export const CAN_MOUNT = process.getuid?.() === 0 && canMount();

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
