import { parseArgs } from 'node:util';
import { type Mode, MODES } from '@retrace/testing';

export interface ChaosOptions {
  readonly minutes: number;
  readonly mode: Mode;
  readonly seed: number;
  /** Where everything lies; a temporary folder unless said. */
  readonly folder: string | undefined;
  /** Leaves the folder where it is. */
  readonly keep: boolean;
}

export const USAGE = `chaos [--minutes 10] [--mode cluster|standalone] [--seed N] [--folder DIR] [--keep]
    three agents under load while services and broker are killed at random; then log, disk and blobs are compared with
    what the agents were told. Exit 1 where anything was lost, doubled or out of order; the folder is kept then.`;

/** Throws where something cannot be understood. */
export function parseOptions(args: readonly string[], now: number): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      mode: { type: 'string', default: 'cluster' },
      seed: { type: 'string' },
      folder: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const minutes = Number(values.minutes);
  const seed = values.seed === undefined ? now % 1_000_000 : Number(values.seed);
  if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: a number above 0`);
  if (!Number.isInteger(seed)) throw new Error(`--seed ${values.seed}: a whole number`);
  const mode = MODES.find((name) => name === values.mode);
  if (!mode) throw new Error(`--mode ${values.mode}: one of ${MODES.join(', ')}`);
  return { minutes, mode, seed, folder: values.folder, keep: values.keep };
}
