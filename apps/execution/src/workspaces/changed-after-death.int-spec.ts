import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorize } from '../testing/authorities.js';
import { attentionOf, CrashRunner } from '../testing/crash-runner.js';
import { CRASH_SCENARIOS, LARGE } from '../testing/crash-scenarios.js';
import { hashOf } from '../testing/memory-blobs.js';
import { WorkspaceFolder } from '../testing/workspace-folder.js';

const runner = new CrashRunner();

beforeAll(() => CrashRunner.build(), 300_000);
afterAll(() => runner.dispose());

describe('what somebody else changes between death and restart', () => {
  const scenario = CRASH_SCENARIOS['one operation of each kind']!;
  const paths = ['vendor/lib/x.c', 'd', 'd/n', 'linked', 'gone'];

  it.each([1, 2, 3, 4])(
    'after %i operations is left alone and listed, and all the rest is taken back',
    async (applied) => {
      const crashed = await runner.prepare(scenario);
      expect(runner.runUntil(crashed.top, `apply.between-operations:${applied}`)).toBe(true);
      for (const changed of paths) {
        const prepared = runner.copied(crashed);
        const folder = new WorkspaceFolder(prepared.top);
        if (changed === 'd/n' && applied < 2) continue;
        fs.rmSync(folder.full(changed), { recursive: true, force: true });
        folder.put(changed, 'theirs');
        await runner.recovered(prepared, (x, outcome) => {
          expect(outcome).toMatchObject({ data: { code: 'needs_attention' } });
          expect(attentionOf(outcome).filter((path) => path === changed)).toEqual([changed]);
          expect(x.folder.text(changed)).toBe('theirs');
          // Who replaces one name of a file leaves our bytes under the other, which nobody named to us.
          const others = changed === 'linked' ? ['other name'] : [];
          const beside = (tree: Record<string, string>) =>
            Object.fromEntries(
              Object.entries(tree).filter(([path]) => ![...others, ...attentionOf(outcome)].includes(path)),
            );
          expect(beside(x.folder.tree())).toEqual(beside(prepared.before));
        });
      }
    },
    120_000,
  );

  it('does not cost the old version: it stays in staging under the name that is told', async () => {
    const prepared = await runner.prepare(scenario);
    runner.runUntil(prepared.top, 'apply.between-operations:4');
    const folder = new WorkspaceFolder(prepared.top);
    for (const name of ['vendor/lib/x.c', 'linked']) fs.writeFileSync(folder.full(name), 'theirs');
    await runner.recovered(prepared, async (x, outcome) => {
      if (outcome.type !== 'retrace.operation.failed.v1') throw new Error(outcome.type);
      const kept = outcome.data.needs_attention.map((one) => [one.path, one.kept!] as const);
      await x.restart();
      const texts = kept.map(([name, file]) => [name, x.folder.text(`.retrace/staging/${file}`)]);
      expect(Object.fromEntries(texts)).toEqual({
        'vendor/lib/x.c': LARGE,
        linked: 'old content, longer than the new one',
      });
    });
  }, 120_000);
});

describe('half way between two paths, an object', () => {
  const died = async () => {
    const prepared = await runner.prepare({
      ends: 'applied',
      async prepare(x) {
        x.folder.put('a', 'A', 0o640);
        x.folder.put('b', 'B');
        const { to } = x;
        return { authority: await authorize(x.log, [to.move('a', 'moved'), to.move('b', 'b2')]) };
      },
    });
    expect(runner.runUntil(prepared.top, 'move.between')).toBe(true);
    return { prepared, folder: new WorkspaceFolder(prepared.top) };
  };

  it('goes on to its new path', async () => {
    const { prepared, folder } = await died();
    expect(folder.tree()).toEqual({ b: 'file 644 Qg==' });
    await runner.recovered(prepared, (x, outcome) => {
      expect(outcome.type).toBe('retrace.operation.applied.v1');
      expect(x.folder.tree()).toEqual({ moved: 'file 640 QQ==', b2: 'file 644 Qg==' });
    });
  }, 60_000);

  it('goes back where somebody stands at its new path by now', async () => {
    const { prepared, folder } = await died();
    folder.put('moved', 'theirs');
    await runner.recovered(prepared, (x, outcome) => {
      expect([attentionOf(outcome), x.folder.text('a'), x.folder.mode('a')]).toEqual([['moved'], 'A', 0o640]);
      expect([x.folder.text('moved'), x.folder.text('b')]).toEqual(['theirs', 'B']);
    });
  }, 60_000);

  it('is kept where somebody stands at its old path by now, under the name that is told', async () => {
    const { prepared, folder } = await died();
    folder.put('a', 'theirs');
    await runner.recovered(prepared, (x, outcome) => {
      if (outcome.type !== 'retrace.operation.failed.v1') throw new Error(outcome.type);
      const told = outcome.data.needs_attention.map(({ path, kept }) => [
        path,
        x.folder.text(`.retrace/staging/${kept}`),
      ]);
      expect([told, x.folder.text('a')]).toEqual([[['a', 'A']], 'theirs']);
      expect(x.folder.tree()).toEqual({ a: expect.anything(), b: 'file 644 Qg==' });
    });
  }, 60_000);
});

describe('a file half written in place', () => {
  const before = 'old content, longer than the new one';
  const after = 'new content';

  it.each([
    ['nothing', before],
    ['some', after.slice(0, 4) + before.slice(4)],
    ['all, before its end is cut off', after + before.slice(after.length)],
  ])(
    'after %s of it: the old content is back, in the same inode',
    async (_, content) => {
      const prepared = await runner.prepare(CRASH_SCENARIOS['one operation of each kind']!);
      expect(runner.runUntil(prepared.top, 'apply.between-operations:3')).toBe(true);
      fs.writeFileSync(new WorkspaceFolder(prepared.top).full('linked'), content);
      await runner.recovered(prepared, async (x, outcome) => {
        const done = outcome.type === 'retrace.operation.applied.v1';
        expect(done).toBe(content === before);
        expect(x.folder.text('other name')).toBe(done ? after : before);
        expect(done || x.folder.tree()).toEqual(done || prepared.before);
        expect(attentionOf(outcome)).toEqual([]);
      });
    },
    60_000,
  );

  it('grows over the end of a shorter one: that is told from what somebody else wrote', async () => {
    const prepared = await runner.prepare({
      ends: 'applied',
      async prepare(x) {
        x.folder.put('a', 'old');
        x.folder.put('linked', 'old');
        fs.linkSync(x.folder.full('linked'), x.folder.full('other name'));
        return { authority: await authorize(x.log, [x.to.write('a', 'A'), x.to.write('linked', LARGE)]) };
      },
    });
    expect(runner.runUntil(prepared.top, 'apply.between-operations:1')).toBe(true);
    fs.writeFileSync(new WorkspaceFolder(prepared.top).full('linked'), LARGE.slice(0, 5_000));
    await runner.recovered(prepared, async (x, outcome) => {
      expect([outcome.type, attentionOf(outcome)]).toEqual(['retrace.operation.failed.v1', []]);
      expect([x.folder.text('other name'), x.folder.text('a'), hashOf(x.folder.bytes('linked'))]).toEqual([
        'old',
        'old',
        hashOf('old'),
      ]);
    });
  }, 60_000);
});
