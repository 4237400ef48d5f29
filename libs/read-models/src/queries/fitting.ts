/** Bytes of an answer: a message of the bus holds 1 MiB where nothing else is set up. */
export const ANSWER_BYTES = 900_000;

/** As many from the beginning as fit into one answer as JSON, at least one. */
export function fitting<T>(all: readonly T[]): T[] {
  let bytes = 0;
  const beyond = all.findIndex((one) => (bytes += Buffer.byteLength(JSON.stringify(one))) > ANSWER_BYTES);
  return beyond < 0 ? [...all] : all.slice(0, Math.max(1, beyond));
}
