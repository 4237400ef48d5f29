import { closeSync, existsSync, openSync } from 'node:fs';

/**
 * Places where a crash is tried. Every name stands once in the code as a literal, so that the crash matrix can collect
 * them. `RETRACE_FAILPOINT=name` kills this process with SIGKILL the first time it comes by; `name:3` the third time.
 * `RETRACE_FAILPOINT_ONCE=file` makes it a single shot: the file is left behind, and where it stands nothing dies.
 */
const onceFile = process.env['RETRACE_FAILPOINT_ONCE'];
const armed = parse(process.env['RETRACE_FAILPOINT']);
let passed = 0;

function parse(text: string | undefined): { name: string; at: number } | undefined {
  const [name, at = '1'] = text?.split(':') ?? [];
  if (!name || (onceFile && existsSync(onceFile))) return undefined;
  return { name, at: Number(at) };
}

/** Dies here when this place is armed; costs a comparison otherwise. */
export function failpoint(name: string): void {
  if (armed?.name !== name) return;
  passed += 1;
  if (passed < armed.at) return;
  if (onceFile) closeSync(openSync(onceFile, 'w'));
  process.kill(process.pid, 'SIGKILL');
}
