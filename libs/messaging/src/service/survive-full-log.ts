/** A log file on a full disk is no reason to end: lines are lost until there is room again, work is not. */
export function surviveFullLog(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
