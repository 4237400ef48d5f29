import { type Action, describePathState, type PathState, type Pin, samePathState } from '@retrace/contracts';
import { checkPin } from '../domain/check-pin.js';
import { outsideChange } from '../domain/outside-change.js';
import { describeWriter } from '../domain/recorded.js';
import { Refused, refusal, Stale } from './refusal.js';
import type { Present } from './simulated-tree.js';

interface Rests {
  readonly path: string;
  readonly pin: Pin;
  /** What the caller last saw there; then an outside change is no surprise to it. */
  readonly expected?: PathState | undefined;
}

/** Throws where what stands at a path is not what the caller expected, or what the decision rested on. */
export function requirePinned({ path, pin, expected }: Rests, present: Present): void {
  if (expected && !samePathState(expected, present.state)) throw lostUpdate(path, expected, present);
  const checked = checkPin(pin, present.state, present.recorded);
  if (checked.outcome === 'stale') throw new Stale(path, checked.why);
  if (checked.outcome === 'outside')
    throw new Refused(
      refusal('changed_outside', checked.message, { path, expected: checked.expected, found: present.state }),
    );
}

/** Throws where somebody's unrecorded change would be lost; answers what the caller should know of one that is kept. */
export function requireRecorded(action: Action, path: string, present: Present, expected?: PathState): string[] {
  if (expected) return [];
  const change = outsideChange(action, present.state, present.recorded);
  if (change.kind === 'refused')
    throw new Refused(
      refusal('changed_outside', change.message, { path, expected: change.recorded, found: present.state }),
    );
  return change.kind === 'noted' ? [change.note] : [];
}

function lostUpdate(path: string, expected: PathState, { state, recorded }: Present): Refused {
  const who = recorded ? describeWriter(recorded) : 'changed by nobody on record';
  const outside = recorded && !samePathState(recorded.state, state) ? ', and changed outside since' : '';
  const message = `expected ${describePathState(expected)}, found ${describePathState(state)}, ${who}${outside}; read it again and decide anew`;
  return new Refused(refusal('expected_mismatch', message, { path, expected, found: state }));
}
