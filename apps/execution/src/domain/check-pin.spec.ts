import { expect, it } from '@jest/globals';
import { ABSENT, BlobHashSchema, type OperationId, type PathState, type Pin, type Principal } from '@retrace/contracts';
import { checkPin } from './check-pin.js';
import type { Recorded } from './recorded.js';

const file = (digit: string): PathState => ({
  kind: 'file',
  hash: BlobHashSchema.parse(digit.repeat(64)),
  size: 1,
  mode: 0o644,
});
const [A, B] = [file('a'), file('b')];
const [OP1, OP2] = ['op_1', 'op_2'] as OperationId[] as [OperationId, OperationId];

const recorded = (state: PathState, operationId = OP1): Recorded => ({
  state,
  sequence: 7,
  operationId,
  sessionId: null,
  agent: 'amy' as Principal,
});
const state = (pinned: PathState): Pin => ({ kind: 'state', state: pinned, sequence: 3 });
const absent = (assumed: boolean): Pin => ({ kind: 'absent', assumed });
const after = (operation_id: OperationId): Pin => ({ kind: 'after', operation_id });

const holds = { outcome: 'holds' };
const moved = { outcome: 'stale', why: 'moved' };
const outside = (expected: PathState) => ({ outcome: 'outside', expected });

it.each<[string, Pin, PathState, Recorded | undefined, object]>([
  ['any: whatever stands there', { kind: 'any' }, A, undefined, holds],
  ['assumed absent, and it is', absent(true), ABSENT, undefined, holds],
  ['assumed absent, something recorded', absent(true), A, recorded(A), { outcome: 'stale', why: 'assumed_absent' }],
  ['assumed absent, something else', absent(true), A, undefined, { outcome: 'stale', why: 'assumed_absent' }],
  ['seen absent, and it is', absent(false), ABSENT, recorded(A), holds],
  ['seen absent, created on record since', absent(false), A, recorded(A), moved],
  ['seen absent, created by nobody on record', absent(false), A, undefined, outside(ABSENT)],
  ['seen absent, changed after it was created on record', absent(false), B, recorded(A), outside(ABSENT)],
  ['the state that was seen', state(A), A, undefined, holds],
  ['the state that was seen, though recorded otherwise', state(A), A, recorded(B), holds],
  ['another state, on record', state(A), B, recorded(B), moved],
  ['gone, on record', state(A), ABSENT, recorded(ABSENT), moved],
  ['another state, by nobody on record', state(A), B, recorded(A), outside(A)],
  ['gone, by nobody on record', state(A), ABSENT, undefined, outside(A)],
  ['after an operation that left this', after(OP1), A, recorded(A, OP1), holds],
  ['after an operation that did not happen', after(OP1), A, undefined, moved],
  ['after an operation that another one followed', after(OP1), A, recorded(A, OP2), moved],
  ['after an operation whose result somebody changed', after(OP1), B, recorded(A, OP1), outside(A)],
  ['after: the move that took it away', after(OP1), ABSENT, { ...recorded(ABSENT, OP2), movedBy: OP1 }, holds],
])('%s', (_, pin, present, row, right) => {
  expect(checkPin(pin, present, row)).toMatchObject(right);
});

it('names both states', () => {
  expect(checkPin(state(A), B, undefined)).toMatchObject({
    message: expect.stringMatching(/expected file aaaaaaaaaaaa.*found file bbbbbbbbbbbb/),
  });
});
