import { describePathState, type PathState, type Pin, samePathState } from '@retrace/contracts';
import type { Recorded } from './recorded.js';

export type PinCheck =
  | { readonly outcome: 'holds' }
  /** Policy is to decide again. */
  | { readonly outcome: 'stale'; readonly why: 'assumed_absent' | 'moved' }
  /** Somebody whom nobody recorded changed the path: never decided again, never touched. */
  | { readonly outcome: 'outside'; readonly expected: PathState; readonly message: string };

/** Checks what a decision rested on against what stands there, and who put it there. */
export function checkPin(pin: Pin, present: PathState, recorded: Recorded | undefined): PinCheck {
  switch (pin.kind) {
    case 'any':
      return { outcome: 'holds' };
    case 'absent':
      if (present.kind === 'absent') return { outcome: 'holds' };
      if (pin.assumed) return { outcome: 'stale', why: 'assumed_absent' };
      return moved({ kind: 'absent' }, present, recorded);
    case 'state':
      return samePathState(pin.state, present) ? { outcome: 'holds' } : moved(pin.state, present, recorded);
    case 'after':
      if (recorded?.operationId !== pin.operation_id && recorded?.movedBy !== pin.operation_id)
        return { outcome: 'stale', why: 'moved' };
      return samePathState(recorded.state, present) ? { outcome: 'holds' } : outside(recorded.state, present);
  }
}

/** What stands there is what was last recorded: then a recorded operation moved the pin. */
const moved = (pinned: PathState, present: PathState, recorded: Recorded | undefined): PinCheck =>
  recorded && samePathState(recorded.state, present) ? { outcome: 'stale', why: 'moved' } : outside(pinned, present);

const outside = (expected: PathState, present: PathState): PinCheck => ({
  outcome: 'outside',
  expected,
  message: `target changed since decision: expected ${describePathState(expected)}, found ${describePathState(present)}`,
});
