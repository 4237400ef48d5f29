import { appendFileSync, closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Places where a crash is tried. Every name stands once in the code as a literal, so that the crash matrix can collect
 * them. `RETRACE_FAILPOINT=name` kills this process with SIGKILL the first time it comes by; `name:3` the third time.
 * `RETRACE_FAILPOINT_ONCE=file` makes it a single shot: the file is left behind, and where it stands nothing dies.
 *
 * `RETRACE_FAILPOINTS=folder` is for a system that runs on between the deaths: who comes by a place says so in
 * `passed`, and dies where `armed/name` stands (or `armed/name@pid`, with its own pid; the content counts how many times
 * it is to come by). The file is then in `hit`: each kills once.
 *
 * All of it is said by whoever starts the process; no message of the bus and no file of a workspace is ever asked.
 */
const onceFile = process.env['RETRACE_FAILPOINT_ONCE'];
const armed = parse(process.env['RETRACE_FAILPOINT']);
const folder = process.env['RETRACE_FAILPOINTS'];
let passed = 0;

function parse(text: string | undefined): { name: string; at: number } | undefined {
  const [name, at = '1'] = text?.split(':') ?? [];
  if (!name || (onceFile && existsSync(onceFile))) return undefined;
  return { name, at: Number(at) };
}

/** Dies here when this place is armed; costs two comparisons otherwise. */
export function failpoint(name: string): void {
  if (folder) passBy(folder, name);
  if (armed?.name !== name) return;
  passed += 1;
  if (passed < armed.at) return;
  if (onceFile) closeSync(openSync(onceFile, 'w'));
  process.kill(process.pid, 'SIGKILL');
}

function passBy(where: string, name: string): void {
  appendFileSync(join(where, 'passed'), `${name} ${process.pid}\n`);
  for (const file of [name, `${name}@${process.pid}`])
    if (claimed(join(where, 'armed', file), join(where, 'hit', file))) process.kill(process.pid, 'SIGKILL');
}

function claimed(file: string, hit: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const left = Number(readFileSync(file, 'utf8')) - 1;
    if (left > 0) writeFileSync(file, String(left));
    else renameSync(file, hit);
    return left <= 0;
  } catch {
    // Another process came by at the same time, and it is that one that dies.
    return false;
  }
}
