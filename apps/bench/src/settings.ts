import { parseArgs } from 'node:util';
import type { Mode } from '@retrace/testing';

export const GROUPS = ['write', 'in-flight', 'files', 'rebuild', 'memory'] as const;
export type Group = (typeof GROUPS)[number];

/** How much of everything. */
export interface Scale {
  readonly warmUp: number;
  readonly calls: number;
  readonly block: number;
  /** Operations of one turn with 64 in flight, and turns. */
  readonly inFlight: number;
  readonly turns: number;
  /** Files of a logical operation, and how often. */
  readonly files: number;
  readonly rounds: number;
  /** Events that a log must have to be rebuilt from, and how often. */
  readonly events: number;
  readonly rebuilds: number;
  /** Operations after which memory is looked at. */
  readonly operations: number;
  readonly young: number;
}

const FULL: Scale = {
  warmUp: 1000,
  calls: 2000,
  block: 100,
  inFlight: 2000,
  turns: 5,
  files: 1000,
  rounds: 9,
  events: 20_000,
  rebuilds: 3,
  operations: 100_000,
  young: 1000,
};

const QUICK: Scale = {
  warmUp: 40,
  calls: 40,
  block: 20,
  inFlight: 128,
  turns: 1,
  files: 50,
  rounds: 1,
  events: 500,
  rebuilds: 1,
  operations: 300,
  young: 40,
};

export interface Settings {
  readonly mode: Mode;
  readonly durability: 'process' | 'power';
  readonly quick: boolean;
  readonly scale: Scale;
  readonly groups: readonly Group[];
  readonly json: string | undefined;
  readonly profile: string | undefined;
  readonly help: boolean;
}

export const USAGE = `npm run bench [-- OPTIONS]   measures speed and memory, each against a baseline in the same run

  --json FILE        write the report there, too
  --only NAME,…      of: ${GROUPS.join(', ')}
  --operations N     after how many to look at memory (${FULL.operations})
  --quick            small numbers: shows that the bench works, not how fast the system is
  --cluster          a process per service
  --durability power what survives a power failure is waited for
  --profile DIR      write a flame graph of every thread there`;

const OPTIONS = {
  json: { type: 'string' },
  only: { type: 'string' },
  operations: { type: 'string' },
  quick: { type: 'boolean', default: false },
  cluster: { type: 'boolean', default: false },
  durability: { type: 'string', default: 'process' },
  profile: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Throws an Error with the usage where the arguments make no sense. */
export function parseSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const { json, only, operations, quick, cluster, durability, profile, help } = values;
  if (durability !== 'process' && durability !== 'power') throw new Error(`durability ${durability}?\n${USAGE}`);
  if (profile !== undefined && cluster) throw new Error(`--profile is of one process\n${USAGE}`);
  const scale = quick ? QUICK : FULL;
  return {
    mode: cluster ? 'cluster' : 'standalone',
    durability,
    quick,
    scale: operations === undefined ? scale : { ...scale, operations: positive(operations) },
    groups: only === undefined ? GROUPS : groupsOf(only),
    json,
    profile,
    help,
  };
}

function groupsOf(only: string): Group[] {
  return only.split(',').map((name) => {
    const group = GROUPS.find((known) => known === name);
    if (!group) throw new Error(`no measure ${name}\n${USAGE}`);
    return group;
  });
}

function positive(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--operations ${text}?\n${USAGE}`);
  return number;
}
