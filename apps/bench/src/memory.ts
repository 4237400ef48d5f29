import { readdirSync, readFileSync } from 'node:fs';

/** Megabytes of anonymous memory that a process and its descendants hold (the kernel's RssAnon). */
export function anonymousMegabytes(pid: number): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const processes = all.map((name) => ({ pid: Number(name), status: statusOf(name) }));
  const family = new Set([pid]);
  // A child may come before its parent in the list.
  for (let known = 0; known < family.size;) {
    known = family.size;
    for (const one of processes) if (family.has(field(one.status, 'PPid'))) family.add(one.pid);
  }
  const held = processes.filter((one) => family.has(one.pid)).map(({ status }) => field(status, 'RssAnon'));
  return held.reduce((total, kilobytes) => total + kilobytes, 0) / 1000;
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
}

const field = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
