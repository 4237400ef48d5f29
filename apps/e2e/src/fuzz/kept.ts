import { readFileSync } from 'node:fs';
import type { FuzzCase } from './cases.js';

/** In the sources, also where the built file runs: it belongs into the repository. */
export const KEPT_FILE = new URL('../../src/fuzz/kept.json', import.meta.url);

/** Messages that failed once. */
export const keptCases = (): readonly FuzzCase[] =>
  (JSON.parse(readFileSync(KEPT_FILE, 'utf8')) as { case: FuzzCase }[]).map((kept) => kept.case);
