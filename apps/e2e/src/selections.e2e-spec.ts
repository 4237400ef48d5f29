import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bed, MODES, RetraceSystem } from '@retrace/testing';

const lines = (...words: string[]): string => words.map((word) => `${word}\n\n`).join('');

describe.each(MODES)('what can be taken back, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let bed: Bed;
  let count = 0;

  beforeAll(() => system.start(), 120_000);
  afterEach(() => bed.close());
  afterAll(() => system.dispose(), 60_000);

  const start = async (files: Readonly<Record<string, string>>) => {
    bed = await Bed.make(system, `s${(count += 1)}`, files);
    return bed.a.openSession({ task: 'select' });
  };

  it('only step two, with later work on the same file merged, and the undo undone', async () => {
    const session = await start({ guide: lines('one', 'two', 'three', 'four') });
    await session.edit('guide', [{ oldText: 'one', newText: 'ONE' }]);
    await session.edit('guide', [{ oldText: 'two', newText: 'TWO' }]);
    await session.edit('guide', [{ oldText: 'four', newText: 'FOUR' }]);
    const step = { by: 'step' as const, session_id: session.id, step: 2 };
    expect((await bed.operator.undoPlan(step)).left_out).toMatchObject([{ path: 'guide', why: 'dependent' }]);
    const plan = await bed.operator.undoPlan(step, { merge: true });
    expect(await bed.operator.planDiff(plan, 'guide')).toMatchObject({
      diff: expect.stringMatching(/^-TWO\n\+two$/m),
      binary: false,
    });
    const undone = await bed.operator.undo(plan);
    expect(undone).toMatchObject({ outcome: 'undone', report: { merged: ['guide'] } });
    expect(bed.text('guide')).toBe(lines('ONE', 'two', 'three', 'FOUR'));
    await bed.operator.redo(undone);
    expect(bed.text('guide')).toBe(lines('ONE', 'TWO', 'three', 'FOUR'));
  }, 60_000);

  it('a merge that conflicts is left out; forced, it goes over what stands there, which can come back', async () => {
    const session = await start({ f: 'old\n' });
    await session.write('f', 'mine\n');
    bed.put('f', 'a person was here\n');
    const whole = { by: 'session' as const, session_id: session.id };
    expect(await bed.undo(whole, { merge: true })).toMatchObject({
      outcome: 'nothing',
      report: { left_out: [{ path: 'f', why: 'outside' }] },
    });
    const forced = await bed.undo(whole, { force: true });
    expect([forced.report.forced, bed.text('f')]).toEqual([['f'], 'old\n']);
    await bed.operator.redo(forced);
    expect(bed.text('f')).toBe('a person was here\n');
  }, 60_000);

  it('one path of a logical operation is skipped, or all of it refused', async () => {
    const session = await start({ f: '0', g: '0' });
    await session.apply(
      [
        { write: 'f', content: '1' },
        { write: 'g', content: '1' },
      ],
      { reason: 'both' },
    );
    bed.put('f', 'a person was here');
    const whole = { by: 'session' as const, session_id: session.id };
    const nothing = await bed.operator.undoPlan(whole, { allOrNone: true });
    expect(nothing).toMatchObject({ steps: [], left_out: [{ path: 'f', why: 'outside' }] });
    expect(await bed.undo(whole, { skip: true })).toMatchObject({
      outcome: 'partial',
      report: { left_out: [{ path: 'f', only_path: true }], restored: ['g'] },
    });
    expect([bed.text('f'), bed.text('g')]).toEqual(['a person was here', '0']);
  }, 60_000);

  it('what was created and nobody changed since', async () => {
    const session = await start({ 'src/a.ts': 'a' });
    await session.apply(
      ['x', 'y', 'z'].map((name) => ({ create: `src/${name}.test.ts`, content: name })),
      { reason: 'tests' },
    );
    await session.write('src/a.ts', 'b');
    await session.create('src/b.ts', 'b');
    const other = await bed.b.openSession({ task: 'other' });
    await other.write('src/y.test.ts', 'changed');
    bed.put('src/z.test.ts', 'a person was here');
    bed.put('src/mine.test.ts', 'mine');
    const report = await bed.undo({ by: 'created', session_id: session.id, glob: '**/*.test.ts' });
    expect(report).toMatchObject({ outcome: 'partial', report: { restored: ['src/x.test.ts'] } });
    expect(Object.keys(bed.tree())).toEqual([
      'src',
      'src/a.ts',
      'src/b.ts',
      'src/mine.test.ts',
      'src/y.test.ts',
      'src/z.test.ts',
    ]);
  }, 60_000);

  it('an agent, a path, a glob, all since a moment, and exceptions', async () => {
    const session = await start({ 'app/[id]/page.tsx': 'L', 'app/i/page.tsx': 'M', other: '0' });
    const start0 = bed.tree();
    await session.write('app/[id]/page.tsx', 'L2');
    await session.write('app/i/page.tsx', 'M2');
    const { sequence } = await session.write('other', '1');
    const sb = await bed.b.openSession({ task: 'b' });
    await sb.create('b', 'B');
    const all = bed.tree();
    const back = async (report: Awaited<ReturnType<Bed['undo']>>) => {
      await bed.operator.redo(report);
      expect(bed.tree()).toEqual(all);
    };

    const literal = await bed.undo({ by: 'path', path: 'app/[id]/page.tsx' as never });
    expect([bed.text('app/[id]/page.tsx'), bed.text('app/i/page.tsx')]).toEqual(['L', 'M2']);
    await back(literal);
    const escaped = await bed.undo({ by: 'glob', glob: 'app/\\[id\\]/page.tsx' });
    expect([bed.text('app/[id]/page.tsx'), bed.text('app/i/page.tsx')]).toEqual(['L', 'M2']);
    await back(escaped);
    const pattern = await bed.undo({ by: 'glob', glob: 'app/[id]/page.tsx' });
    expect([bed.text('app/[id]/page.tsx'), bed.text('app/i/page.tsx')]).toEqual(['L2', 'M']);
    await back(pattern);

    const since = await bed.undo({ by: 'since', since_sequence: sequence, agent: 'agent-a' as never });
    expect([bed.text('other'), bed.text('b'), bed.text('app/i/page.tsx')]).toEqual(['0', 'B', 'M2']);
    await back(since);
    const agent = await bed.undo(
      { by: 'agent', agent: 'agent-a' as never },
      { except: [{ by: 'path', path: 'other' as never }] },
    );
    expect([bed.text('other'), bed.text('app/i/page.tsx'), bed.text('b')]).toEqual(['1', 'M', 'B']);
    await back(agent);
    await bed.undo({ by: 'since', since_sequence: 1 });
    expect(bed.tree()).toEqual(start0);
  }, 90_000);

  it('an edit is taken back at the name that the file has now', async () => {
    const session = await start({ 'a.md': 'one\n' });
    const { operations } = await session.edit('a.md', [{ oldText: 'one', newText: 'two' }]);
    const sb = await bed.b.openSession({ task: 'rename' });
    await sb.move('a.md', 'b.md');
    const report = await bed.undo({ by: 'operation', operation_id: operations[0]!.operation_id });
    expect(report).toMatchObject({ outcome: 'undone', report: { restored: ['b.md'] } });
    expect([Object.keys(bed.tree()), bed.text('b.md')]).toEqual([['b.md'], 'one\n']);
  }, 60_000);
});
