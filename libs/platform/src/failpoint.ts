/**
 * Places where a crash is tried. Every name stands once in the code as a literal, so that the crash matrix can collect
 * them. `RETRACE_FAILPOINT=name` kills this process with SIGKILL the first time it comes by; `name:3` the third time.
 */
const armed = parse(process.env['RETRACE_FAILPOINT']);
let passed = 0;

function parse(text: string | undefined): { name: string; at: number } | undefined {
  const [name, at = '1'] = text?.split(':') ?? [];
  return name ? { name, at: Number(at) } : undefined;
}

/** Dies here when this place is armed; costs a comparison otherwise. */
export function failpoint(name: string): void {
  if (armed?.name !== name) return;
  passed += 1;
  if (passed >= armed.at) process.kill(process.pid, 'SIGKILL');
}
