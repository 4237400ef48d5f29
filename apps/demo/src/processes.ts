import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** Processes, this one left out, whose command line or environment names a folder. */
export function processesNaming(folder: string): RunningProcess[] {
  const found: RunningProcess[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      if ((command + environment).includes(folder))
        found.push({ pid: Number(pid), command: command.replaceAll('\0', ' ').trim() });
    } catch {
      // It ended meanwhile, or is somebody else's.
    }
  }
  return found;
}
