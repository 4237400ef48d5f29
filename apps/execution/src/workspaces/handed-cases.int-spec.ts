import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, WorkspacePathSchema } from '@retrace/contracts';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { restoresOf } from '../testing/authorities.js';
import { ExecutionFixture, type OutcomeEvent } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';

let x: ExecutionFixture;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
});
afterEach(() => x.dispose());

const applied = { type: 'retrace.operation.applied.v1' };

const recordsOf = (outcome: OutcomeEvent) =>
  outcome.type === 'retrace.operation.applied.v1' ? outcome.data.operations : [];

/** The session's outcomes taken back, newest first. */
async function rollBack(...outcomes: readonly OutcomeEvent[]): Promise<void> {
  await x.idle();
  const steps = restoresOf(outcomes.flatMap(recordsOf));
  expect(steps.length).toBeGreaterThan(0);
  expect(await x.restore(...steps)).toMatchObject(applied);
}

describe('a batch of moves into a folder that cannot be made (google-gemini/gemini-cli#4586)', () => {
  it.each(['before it is decided', 'while it is prepared'])(
    'a file named so comes %s: all stay where they were',
    async (when) => {
      const names = ['p1.txt', 'p2.txt', 'p3.txt'];
      for (const [i, name] of names.entries()) x.folder.put(name, String(i + 1));
      const inTheWay = () => x.folder.put('out', 'F');
      if (when === 'before it is decided') inTheWay();
      x.blobs.onGet = inTheWay;
      const { to } = x;
      const outcome = await x.run(
        to.mkdir('out'),
        ...names.map((name) => to.move(name, `out/${name}`)),
        to.create('last', 'L'),
      );
      expect(outcome).toMatchObject({
        type: 'retrace.operation.failed.v1',
        data: { failed_at: 0, path: 'out', needs_attention: [] },
      });
      expect(names.map((name) => x.folder.text(name))).toEqual(['1', '2', '3']);
      expect([x.folder.text('out'), recordsOf(outcome)]).toEqual(['F', []]);
    },
  );
});

it('moves one after another to a folder that was never made: the first makes a file of it, no other overwrites that (same thread)', async () => {
  const names = ['p1.txt', 'p2.txt', 'p3.txt'];
  for (const [i, name] of names.entries()) x.folder.put(name, String(i + 1));
  const start = x.folder.tree();
  const first = await x.run(x.to.move('p1.txt', 'out'));
  expect(first).toMatchObject(applied);
  for (const name of ['p2.txt', 'p3.txt'])
    expect(await x.run(x.to.move(name, 'out'))).toMatchObject({
      type: 'retrace.operation.failed.v1',
      data: { code: 'exists', message: expect.stringContaining('overwrite'), needs_attention: [] },
    });
  expect(['out', 'p2.txt', 'p3.txt'].map((name) => x.folder.text(name))).toEqual(['1', '2', '3']);
  expect(Object.keys(x.folder.tree()).length).toBe(Object.keys(start).length);
  await rollBack(first);
  expect(x.folder.tree()).toEqual(start);
});

describe('the byte-order mark (anthropics/claude-code#13363)', () => {
  const start = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('<root/>\r\n')]);

  it('is kept by an edit, and comes back with it', async () => {
    x.folder.put('Strings.resx', start);
    const edited = await x.run(x.to.edit('Strings.resx', [{ old_text: '<root/>', new_text: '<root></root>' }]));
    expect(x.folder.bytes('Strings.resx')).toEqual(Buffer.from('\uFEFF<root></root>\r\n'));
    await rollBack(edited);
    expect(x.folder.bytes('Strings.resx')).toEqual(start);
  });

  it('goes with a whole write, which says so, and comes back', async () => {
    x.folder.put('Strings.resx', start);
    const written = await x.run(x.to.write('Strings.resx', '<root/>\r\n'));
    expect(x.folder.bytes('Strings.resx')).toEqual(Buffer.from('<root/>\r\n'));
    expect(recordsOf(written)).toMatchObject([{ notes: [expect.stringContaining('byte-order mark')] }]);
    await rollBack(written);
    expect(x.folder.bytes('Strings.resx')).toEqual(start);
  });
});

it('an LF edit of a CRLF file keeps its line ends, and comes back (opencode#45926)', async () => {
  const start = 'foo\r\nbar\r\n';
  x.folder.put('f.txt', start);
  const edited = await x.run(x.to.edit('f.txt', [{ old_text: 'foo\nbar', new_text: 'foo\nbaz\nbar' }]));
  expect(x.folder.text('f.txt')).toBe('foo\r\nbaz\r\nbar\r\n');
  await rollBack(edited);
  expect(x.folder.text('f.txt')).toBe(start);
});

describe.each(['replace', 'in_place'] as const)('a script that is written with %s', (write_mode) => {
  it('stays executable through write, edit, delete and back (anthropics/claude-code#47099)', async () => {
    x.folder.put('run.sh', '#!/bin/sh\necho 1\n', 0o755);
    const start = x.folder.tree();
    const { ino } = fs.statSync(x.folder.full('run.sh'));
    const { to } = x;
    const written = await x.run(to.write('run.sh', '#!/bin/sh\necho 2\n', { write_mode }));
    expect(x.folder.mode('run.sh')).toBe(0o755);
    const edited = await x.run(to.edit('run.sh', [{ old_text: 'echo 2', new_text: 'echo 3' }], { write_mode }));
    expect([x.folder.mode('run.sh'), x.folder.text('run.sh')]).toEqual([0o755, '#!/bin/sh\necho 3\n']);
    for (const outcome of [written, edited])
      expect(recordsOf(outcome)).toMatchObject([{ action: expect.any(String), parameters: { write_mode } }]);
    expect(fs.statSync(x.folder.full('run.sh')).ino === ino).toBe(write_mode === 'in_place');
    await rollBack(written, edited, await x.run(to.remove('run.sh')));
    expect(x.folder.tree()).toEqual(start);
  });
});

it('a write through a link is of what it points to; the link stays one (anthropics/claude-code#28376)', async () => {
  x.folder.put('shared/c.json', '{}');
  fs.symlinkSync('shared/c.json', x.folder.full('c.json'));
  const start = x.folder.tree();
  const write = x.to.write('c.json', '{"a":1}');
  expect(await x.run(write)).toMatchObject({ data: { paths: [{ path: 'c.json', why: 'link' }] } });
  // As policy decides it anew.
  const written = await x.run({ ...write, canonical: WorkspacePathSchema.parse('shared/c.json') });
  expect(recordsOf(written)).toMatchObject([{ path: { typed: 'c.json', canonical: 'shared/c.json' } }]);
  expect([fs.readlinkSync(x.folder.full('c.json')), x.folder.text('shared/c.json')]).toEqual([
    'shared/c.json',
    '{"a":1}',
  ]);
  await rollBack(written);
  expect(x.folder.tree()).toEqual(start);
  expect(await x.restore({ path: 'c.json', expect: fileOf('{}'), restore: ABSENT })).toMatchObject({
    data: { code: 'changed_outside' },
  });
});

describe('a link to a file (same thread)', () => {
  const through = { canonical: WorkspacePathSchema.parse('shared/c.json') };
  const isLink = () => expect(fs.readlinkSync(x.folder.full('c.json'))).toBe('shared/c.json');
  beforeEach(() => {
    x.folder.put('shared/c.json', '{}', 0o644);
    fs.symlinkSync('shared/c.json', x.folder.full('c.json'));
  });

  it('stays one when what it points to is edited, and an undo brings that back', async () => {
    const start = x.folder.tree();
    const edit = x.to.edit('c.json', [{ old_text: '{}', new_text: '{"a":1}' }]);
    expect(await x.run(edit)).toMatchObject({ data: { paths: [{ path: 'c.json', why: 'link' }] } });
    const edited = await x.run({ ...edit, ...through });
    isLink();
    expect(x.folder.text('shared/c.json')).toBe('{"a":1}');
    await rollBack(edited);
    isLink();
    expect(x.folder.tree()).toEqual(start);
  });

  it('has no mode of its own: chmod is of what it points to, and policy judges that path', async () => {
    const start = x.folder.tree();
    const chmod = x.to.chmod('c.json', 0o600);
    expect(await x.run(chmod)).toMatchObject({ data: { paths: [{ path: 'c.json', why: 'link' }] } });
    expect(x.folder.tree()).toEqual(start);
    const changed = await x.run({ ...chmod, ...through });
    isLink();
    expect(x.folder.mode('shared/c.json')).toBe(0o600);
    expect(recordsOf(changed)).toMatchObject([
      { action: 'chmod', path: { typed: 'c.json', canonical: 'shared/c.json' } },
    ]);
    await rollBack(changed);
    isLink();
    expect(x.folder.tree()).toEqual(start);
  });
});
