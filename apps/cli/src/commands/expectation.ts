import type { Retrace } from '@retrace/client';
import { ABSENT, describePathState, type PathState } from '@retrace/contracts';
import { InvalidArgumentError } from 'commander';
import { CommandFailed } from '../usage-error.js';

/** What is to stand at a path before it is changed. */
export type Expectation =
  { readonly is: 'absent' } | { readonly is: 'present' } | { readonly is: 'hash'; readonly hash: string };

/** Reads `--expect`. Hashes are shown with 12 digits everywhere, so that many are enough. */
export function expectation(text: string): Expectation {
  if (text === 'absent' || text === 'present') return { is: text };
  const hash = text.toLowerCase();
  if (/^[0-9a-f]{12,64}$/.test(hash)) return { is: 'hash', hash };
  throw new InvalidArgumentError('absent, present, or 12 to 64 digits of a sha256');
}

/**
 * The state to send as expected: execution refuses anything else at the moment of change. `follow`: the change acts on
 * what a link names. Throws CommandFailed `expected_mismatch` where it is not so already.
 */
export async function expectedState(
  retrace: Retrace,
  path: string,
  expected: Expectation,
  follow: boolean,
): Promise<PathState> {
  if (expected.is === 'absent') return ABSENT;
  const { canonical, state } = await retrace.stat(path, { follow });
  if (expected.is === 'present') {
    if (state.kind !== 'absent') return state;
    throw mismatch(canonical, 'something to stand there', state);
  }
  if (state.kind === 'file' && state.hash.startsWith(expected.hash)) return state;
  throw mismatch(canonical, `file ${expected.hash.slice(0, 12)}`, state);
}

const mismatch = (path: string, expected: string, found: PathState): CommandFailed =>
  new CommandFailed(
    'expected_mismatch',
    `${path}: expected ${expected}, found ${describePathState(found)}; nothing was changed`,
  );
