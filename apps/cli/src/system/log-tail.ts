import { open, readFile, stat } from 'node:fs/promises';

const LINES = 15;

/** The size of a log, to tell later what was added. */
export const logSize = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/** The last lines that were added to a log since it had `from` bytes. */
export async function logTail(file: string, from: number): Promise<string[]> {
  const text = await readFile(file).catch(() => Buffer.alloc(0));
  const lines = text.subarray(from).toString('utf8').trimEnd().split('\n').slice(-LINES);
  return lines.filter((line) => line !== '').map(readable);
}

/** The log is JSON lines: the message is what a person wants of them. */
function readable(line: string): string {
  try {
    const { level, context, message } = JSON.parse(line) as Record<string, unknown>;
    if (typeof message !== 'string') return line;
    return [level, context, message].filter((part) => typeof part === 'string').join(' ');
  } catch {
    return line;
  }
}

/** Opens a log to append to; only its owner reads it. */
export const openLog = (file: string) => open(file, 'a', 0o600);
