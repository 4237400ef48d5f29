import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RetraceHome } from './retrace-home.js';

const FREE = -1;
const fileOf = ({ nats }: RetraceHome): string => join(nats, 'port');

/** The port of the last start, so that addresses that agents were given stay true; -1 before the first. */
export async function lastPort(home: RetraceHome): Promise<number> {
  const text = await readFile(fileOf(home), 'utf8').catch(() => '');
  const port = Number(text.trim());
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : FREE;
}

export const keepPort = (home: RetraceHome, port: number): Promise<void> => writeFile(fileOf(home), `${port}\n`);
