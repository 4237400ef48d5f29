import { describe, expect, it } from '@jest/globals';
import {
  ABSENT,
  type Action,
  BlobHashSchema,
  NOBODY,
  type OperationId,
  type PathState,
  type Principal,
} from '@retrace/contracts';
import { outsideChange } from './outside-change.js';
import type { Recorded } from './recorded.js';

const file = (digit: string): PathState => ({
  kind: 'file',
  hash: BlobHashSchema.parse(digit.repeat(64)),
  size: 1,
  mode: 0o644,
});
const recorded: Recorded = {
  state: file('a'),
  sequence: 4,
  operationId: 'op_1' as OperationId,
  sessionId: null,
  agent: 'amy' as Principal,
};
const baseline: Recorded = { ...recorded, operationId: null, agent: NOBODY };

describe('a change of a path', () => {
  it.each<Action>(['write', 'delete', 'rmdir', 'move', 'copy'])(
    '%s: refused where an unrecorded change would be lost',
    (action) => {
      for (const present of [file('b'), ABSENT])
        expect(outsideChange(action, present, recorded)).toMatchObject({
          kind: 'refused',
          recorded: recorded.state,
          message: expect.stringContaining('amy'),
        });
    },
  );

  it.each<Action>(['write', 'delete', 'move', 'copy'])('%s: a mode alone is not lost, but is noted', (action) => {
    expect(outsideChange(action, { ...file('a'), mode: 0o600 } as PathState, recorded)).toMatchObject({
      kind: 'noted',
      note: expect.stringContaining('mode'),
    });
  });

  it.each<Action>(['edit', 'append', 'chmod'])('%s: goes on with what is there, and says so', (action) => {
    expect(outsideChange(action, file('b'), recorded)).toMatchObject({
      kind: 'noted',
      note: expect.stringContaining('kept'),
    });
  });

  it.each<Action>(['create', 'mkdir', 'symlink'])('%s: replaces nothing', (action) => {
    expect(outsideChange(action, file('b'), recorded)).toEqual({ kind: 'none' });
  });

  it.each<Action>(['write', 'edit', 'delete'])(
    '%s: nothing to say where all is as recorded, or nothing is',
    (action) => {
      expect(outsideChange(action, file('a'), recorded)).toEqual({ kind: 'none' });
      expect(outsideChange(action, file('b'), undefined)).toEqual({ kind: 'none' });
    },
  );

  it('of what the baseline recorded names no writer', () => {
    expect(outsideChange('write', file('b'), baseline)).toMatchObject({
      message: expect.stringContaining('as it stood when the workspace was registered'),
    });
  });
});
