import type { LogFilter, Retrace } from '@retrace/client';
import { EXIT, type ExitCode } from '../exit-code.js';
import type { Invocation } from '../invocation.js';
import { followingLog, type LogRow } from '../render/log.render.js';

/** Prints what there is, then what comes, until it is interrupted: that is how it ends well. */
export async function followLog(invocation: Invocation, retrace: Retrace, filter: LogFilter): Promise<ExitCode> {
  const signal = invocation.io.interruption();
  const { entries, cursor } = await retrace.log(filter);
  const print = printer(invocation, entries);
  entries.forEach(print);
  const { limit: _limit, after_sequence: _after, ...lasting } = filter;
  for await (const entry of retrace.events({ open: true, after: cursor, filter: lasting, signal })) print(entry);
  return EXIT.done;
}

/** A title, then a line for each entry; as JSON, lines alone. */
function printer(invocation: Invocation, known: readonly LogRow[]): (entry: LogRow) => void {
  if (invocation.globals.json) return (entry) => invocation.write(`${JSON.stringify(entry)}\n`);
  const lines = followingLog(known, invocation.screen);
  invocation.write(`${lines.title}\n`);
  return (entry) => invocation.write(`${lines.line(entry)}\n`);
}
