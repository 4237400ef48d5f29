import { readFileSync } from 'node:fs';
import { processFamily } from '@retrace/testing';

/** Megabytes of anonymous memory that a process and its descendants hold (the kernel's RssAnon). */
export const anonymousMegabytes = (pid: number): number =>
  processFamily(pid).reduce((total, one) => total + anonymousKilobytes(one), 0) / 1000;

function anonymousKilobytes(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}
