import { readdirSync, readFileSync } from 'node:fs';

/** Processes of this machine whose command line or environment names a folder. */
export function processesNaming(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(folder) || read(`/proc/${pid}/environ`).includes(folder))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

/** Of a service of a cluster: the process whose entry is its `main.js` and whose data lies below the folder. */
export function pidOfService(folder: string, service: string): number | undefined {
  const found = processesNaming(folder).find((line) => line.includes(`/apps/${service}/dist/main.js`));
  return found === undefined ? undefined : Number(found.split(' ')[0]);
}

/** A process and its descendants, which it started. */
export function processFamily(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const family = [pid];
  for (let at = 0; at < family.length; at += 1)
    family.push(...all.filter((one) => parentOf(one) === family[at]).map(Number));
  return family;
}

const parentOf = (pid: string): number => Number(/^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]);

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It ended meanwhile, or is somebody else's.
    return '';
  }
}
