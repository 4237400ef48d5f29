import { Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';

/** The options that every command takes, before or after its own, as they were typed. */
export interface Globals {
  readonly json?: boolean;
  readonly workspace?: string;
  readonly as?: string;
  readonly session?: string;
  readonly reason?: string;
  readonly home?: string;
}

/** Reads an option by a schema of the contract; what it says becomes the usage error. */
export const by =
  <T>(schema: z.ZodType<T>) =>
  (value: string): T => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(parsed.error.issues.map(({ message }) => message).join('; '));
  };

/** Collects an option that may be given several times. */
export const several =
  <T>(read: (value: string) => T) =>
  (value: string, before: readonly T[] = []): T[] => [...before, read(value)];

/** Reads a whole number from `least` on. */
export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (value: string): number => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(
      `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}`,
    );
  };

/** Reads permission bits, in octal as chmod takes them. */
export const octalMode = (value: string): number => {
  if (/^0?[0-7]{3}$/.test(value)) return Number.parseInt(value, 8);
  throw new InvalidArgumentError('permission bits in octal, such as 644');
};

const OPTIONS = (): Option[] => [
  new Option('--json', 'JSON on stdout, of a stable shape; errors as JSON on stderr'),
  new Option('-w, --workspace <name>', 'the workspace (RETRACE_WORKSPACE; else the only one there is)'),
  new Option('--as <principal>', 'an agent, or an operator (default: _op-local)'),
  new Option('--session <id>', 'the session (RETRACE_SESSION; else one for this command alone)'),
  new Option('--reason <text>', 'why; recorded'),
  new Option('--home <dir>', 'where Retrace keeps its data (RETRACE_HOME)'),
];

export function addGlobals(command: Command): Command {
  for (const option of OPTIONS()) command.addOption(option.helpGroup('Global options:'));
  return command;
}
