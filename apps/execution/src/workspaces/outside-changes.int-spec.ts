import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, type AuthorizedOperation } from '@retrace/contracts';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { WORKSPACE } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';

let x: ExecutionFixture;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
});
afterEach(() => x.dispose());

const applied = { type: 'retrace.operation.applied.v1' };
const failed = (data: object) => ({ type: 'retrace.operation.failed.v1', data });
const OUTSIDE = fileOf('outside');

/** `a` is on record as `A`; somebody made something else of it. */
async function changedOutside(): Promise<void> {
  await x.run(x.to.create('a', 'A'));
  x.folder.put('a', 'outside');
}

type Make = (to: ExecutionFixture['to'], expected?: typeof OUTSIDE) => AuthorizedOperation;
const REPLACING: Record<string, Make> = {
  write: (to, expected) => to.write('a', 'B', { ...(expected && { expected }) }),
  delete: (to, expected) => to.remove('a', { ...(expected && { expected }) }),
  'move away': (to, expected) => to.move('a', 'b', { ...(expected && { expected }) }),
};

describe.each(Object.entries(REPLACING))('%s of a path that somebody changed whom nobody recorded', (_, make) => {
  it('is refused with both states and the last writer', async () => {
    await changedOutside();
    const outcome = await x.run(make(x.to));
    expect(outcome).toMatchObject(
      failed({ code: 'changed_outside', path: 'a', expected: fileOf('A'), found: OUTSIDE }),
    );
    expect(outcome).toMatchObject(failed({ message: expect.stringContaining('last written by amy') }));
    expect(x.folder.text('a')).toBe('outside');
  });

  it('goes on where the caller says that it saw just that', async () => {
    await changedOutside();
    expect(await x.run(make(x.to, OUTSIDE))).toMatchObject(applied);
    await x.idle();
    expect([...x.blobs.content.values()].map(String).includes('outside') || x.folder.text('b') === 'outside').toBe(
      true,
    );
  });
});

it.each(['move', 'copy'] as const)('a %s over it is refused, whatever is expected of the source', async (action) => {
  await changedOutside();
  x.folder.put('s', 'S');
  const operation = x.to[action]('s', 'a', { overwrite: true, expected: fileOf('S') });
  expect(await x.run(operation)).toMatchObject(
    failed({ code: 'changed_outside', path: 'a', expected: fileOf('A'), found: OUTSIDE }),
  );
});

it('a mode that somebody set is noted; a file that somebody deleted is not written', async () => {
  await x.run(x.to.mkdir('d'), x.to.create('a', 'A'));
  fs.chmodSync(x.folder.full('d'), 0o700);
  fs.rmSync(x.folder.full('a'));
  // A mode alone is not lost.
  expect(await x.run(x.to.rmdir('d'))).toMatchObject({
    data: { operations: [{ notes: [expect.stringContaining('mode was changed outside')] }] },
  });
  expect(await x.run(x.to.write('a', 'B'))).toMatchObject(failed({ code: 'changed_outside', found: ABSENT }));
  expect(await x.run(x.to.create('a', 'B'))).toMatchObject(applied);
});

it('what keeps it goes on, and says so', async () => {
  const { to } = x;
  for (const [path, operation] of Object.entries({
    e: to.edit('e', [{ old_text: 'side', new_text: 'SIDE' }]),
    p: to.append('p', '!'),
    m: to.chmod('m', 0o600),
  })) {
    await x.run(to.create(path, 'A'));
    x.folder.put(path, 'outside');
    expect(await x.run(operation)).toMatchObject({
      ...applied,
      data: {
        operations: [
          { notes: [expect.stringContaining('changed outside')], state_snapshot_before: { sequence: null } },
        ],
      },
    });
  }
  expect(['e', 'p', 'm'].map((path) => x.folder.text(path))).toEqual(['outSIDE', 'outside!', 'outside']);
});

it('a path without any record is captured by its first change', async () => {
  x.folder.put('a', 'nobody recorded this');
  expect(await x.run(x.to.write('a', 'B'))).toMatchObject(applied);
});

describe('a state that the baseline recorded', () => {
  const baseline = (content: string) => x.store.recordBaseline(WORKSPACE, [{ path: 'a', state: fileOf(content) }], 3);

  it('counts like one that an operation left, and names no writer', async () => {
    x.folder.put('a', 'outside');
    baseline('A');
    const message = expect.stringContaining('as it stood when the workspace was registered');
    expect(await x.run(x.to.write('a', 'B'))).toMatchObject(failed({ code: 'changed_outside', message }));
    expect(await x.run(x.to.write('a', 'B', { expected: fileOf('C') }))).toMatchObject(
      failed({ code: 'expected_mismatch', message }),
    );
    x.folder.put('a', 'A');
    expect(await x.run(x.to.write('a', 'B'))).toMatchObject({
      data: { operations: [{ state_snapshot_before: { state: fileOf('A'), sequence: 3 } }] },
    });
  });

  it('never takes the place of what an operation left', async () => {
    await x.run(x.to.create('a', 'A'));
    await x.executor.untilKnown('all');
    const before = x.executor.recorded('a');
    baseline('older');
    expect(x.executor.recorded('a')).toEqual(before);
  });
});
