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

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It ended meanwhile, or is somebody else's.
    return '';
  }
}
