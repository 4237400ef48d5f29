import 'reflect-metadata';
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FsList, FsTree, type Principal, WorkspacePathSchema } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import type { CallContext } from '@retrace/messaging';
import { ReadGate } from '../reading/read-gate.js';
import { AGENT, WORKSPACE } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';
import type { WorkspaceRegistry } from '../workspaces/workspace-registry.js';
import { FsHandlers } from './fs.handlers.js';

const POLICY = `version: 1
name: docs
rules:
  - name: no-secrets
    deny: [read]
    paths: ['**/*.key']
  - name: docs
    allow: [read]
    agents: [amy]
    paths: ['docs/**', 'README.md']
  - name: operators
    allow: [read]
    agents: ['_op-*']
    paths: ['**']
`;
const OPERATOR = '_op-local' as Principal;

let x: ExecutionFixture;
let handlers: FsHandlers;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
  handlers = new FsHandlers({ find: () => x.executor } as unknown as WorkspaceRegistry, new ReadGate(x.store, x.log));
  x.store.addMember(WORKSPACE, AGENT, { sequence: 1, eventId: newId('evt') });
  x.store.putPolicy(WORKSPACE, { version: 1, yaml: POLICY }, { sequence: 2, eventId: newId('evt') });
  for (const name of ['docs/a.md', 'docs/sub/b.md', 'docs/a.key', 'src/a.ts', 'README.md']) x.folder.put(name, name);
});
afterEach(() => x.dispose());

const as = (principal: Principal | undefined): CallContext => ({
  caller: { principal, workspace: WORKSPACE, service: 'execution', verb: 'any' },
  header: () => undefined,
});
const code = (value: string) => expect.objectContaining({ code: value });
const list = (path: string, who: Principal = AGENT, more = {}) =>
  handlers.list(FsList.request.parse({ path, ...more }), as(who));
const names = (...given: Parameters<typeof list>) => list(...given).entries.map(({ name }) => name);

async function refusals() {
  const found: unknown[] = [];
  for await (const event of x.log.read()) if (event.type === 'retrace.access.refused.v1') found.push(event.data.path);
  return found;
}

describe('a listing', () => {
  it('holds what the agent may read, and folders that hold such', () => {
    expect(names('.')).toEqual(['README.md', 'docs']);
    expect(names('docs')).toEqual(['a.md', 'sub']);
    expect(names('./docs/')).toEqual(['a.md', 'sub']);
    expect(names('.', OPERATOR)).toEqual(['README.md', 'docs', 'src']);
  });

  it('tells kind, size, mode, time and target', () => {
    fs.symlinkSync('a.md', x.folder.full('docs/l'));
    fs.utimesSync(x.folder.full('docs/a.md'), 978_307_200, 978_307_200);
    expect(list('docs').entries).toMatchObject([
      { name: 'a.md', kind: 'file', size: 9, mode: 0o644, modified_at: '2001-01-01T00:00:00.000Z', target: null },
      { name: 'l', kind: 'link', target: 'a.md' },
      { name: 'sub', kind: 'directory', size: 0 },
    ]);
  });

  it('comes in pages that go on exactly', () => {
    const first = list('.', OPERATOR, { limit: 2 });
    expect([first.entries.length, first.next]).toEqual([2, 'docs']);
    expect(list('.', OPERATOR, { limit: 2, after: first.next })).toMatchObject({
      entries: [{ name: 'src' }],
      next: null,
    });
  });

  it('of what nobody may see is refused and put on record; so is one that leads out', async () => {
    expect(() => list('src')).toThrow(code('no_rule'));
    expect(() => list('src/none')).toThrow(code('no_rule'));
    fs.symlinkSync('/etc', x.folder.full('docs/etc'));
    expect(() => list('docs/etc')).toThrow(code('outside_root'));
    expect(() => list('.retrace')).toThrow(code('path_control_folder'));
    expect(() => list('docs', 'eve' as Principal)).toThrow(code('not_a_member'));
    expect(await refusals()).toEqual(['src', 'src/none', 'docs/etc', '.retrace', 'docs']);
  });

  it('of what is no folder says so', () => {
    expect(() => list('docs/a.md')).toThrow(code('not_a_folder'));
    expect(() => list('docs/none')).toThrow(code('absent'));
  });
});

describe('a look at one path', () => {
  const stat = (path: string, follow = true, who: Principal = AGENT) => handlers.stat({ path, follow }, as(who));

  it('tells state, time and who recorded its last change', async () => {
    expect(await stat('docs/a.md')).toMatchObject({ state: fileOf('docs/a.md'), recorded: null });
    await x.run(x.to.write('docs/a.md', 'new'));
    expect(await stat('docs/a.md')).toMatchObject({
      canonical: 'docs/a.md',
      state: fileOf('new'),
      recorded: { agent: AGENT, state: fileOf('new') },
    });
    expect(await stat('docs/none')).toMatchObject({ state: { kind: 'absent' }, modified_at: null });
  });

  it('is of what a link points to, or of the link itself', async () => {
    fs.symlinkSync('a.md', x.folder.full('docs/l'));
    fs.symlinkSync('../docs', x.folder.full('src/d'));
    expect(await stat('src/d/l')).toMatchObject({ canonical: 'docs/a.md', state: { kind: 'file' } });
    expect(await stat('src/d/l', false)).toMatchObject({
      canonical: 'docs/l',
      state: { kind: 'link', target: 'a.md' },
    });
  });

  it('is judged like a read', async () => {
    fs.symlinkSync('../src/a.ts', x.folder.full('docs/to-src'));
    await expect(stat('docs/to-src')).rejects.toThrow(code('no_rule'));
    await expect(stat('docs/a.key')).rejects.toThrow(code('rule_denies'));
    expect(await refusals()).toEqual(['src/a.ts', 'docs/a.key']);
  });
});

describe('a tree', () => {
  const tree = (path: string, more = {}) => handlers.tree(FsTree.request.parse({ path, ...more }), as(undefined));
  const paths = async (...given: Parameters<typeof tree>) => (await tree(...given)).facts.map((fact) => fact.path);

  it('is the path and all below it, with states and records', async () => {
    await x.run(x.to.create('docs/n', 'N'));
    fs.symlinkSync('/etc', x.folder.full('docs/l'));
    const { facts, next } = await tree('docs');
    expect(facts.map((fact) => [fact.path, fact.state.kind])).toEqual([
      ['docs', 'directory'],
      ['docs/a.key', 'file'],
      ['docs/a.md', 'file'],
      ['docs/l', 'link'],
      ['docs/n', 'file'],
      ['docs/sub', 'directory'],
      ['docs/sub/b.md', 'file'],
    ]);
    expect(next).toBeNull();
    expect(facts[4]).toMatchObject({ recorded: { agent: AGENT, state: fileOf('N') } });
    expect([await paths('README.md'), await paths('none')]).toEqual([['README.md'], ['none']]);
  });

  it.each([1, 2, 3, 5, 6, 7])('comes in pages of %i that are the whole together', async (limit) => {
    for (const name of ['docs/sub.txt', 'docs/sub-a', 'docs/sub/c/d', 'docs/sub0']) x.folder.put(name, name);
    const whole = await paths('docs');
    const found: string[] = [];
    for (let after: string | undefined; ;) {
      const { facts, next } = await tree('docs', { limit, ...(after !== undefined && { after }) });
      found.push(...facts.map((fact) => fact.path));
      if (next === null) break;
      after = WorkspacePathSchema.parse(next);
    }
    expect(found).toEqual(whole);
  });

  it('names what it cannot spell', async () => {
    fs.writeFileSync(Buffer.concat([Buffer.from(x.folder.full('docs/n')), Buffer.from([0xff])]), '');
    expect((await tree('docs')).facts).toContainEqual(
      expect.objectContaining({ path: 'docs/n\ufffd', problem: expect.objectContaining({ code: 'path_not_unicode' }) }),
    );
  });

  it('is for services', async () => {
    await expect(handlers.tree(FsTree.request.parse({ path: 'docs' }), as(AGENT))).rejects.toThrow(code('forbidden'));
  });
});

describe('a check', () => {
  const check = () => new Map(handlers.check({}, as(OPERATOR)).checks.map((one) => [one.check, one]));

  it('says what is well', () => {
    const found = check();
    expect([...found.keys()]).toEqual([
      'path',
      'permission: root',
      'permission: staging',
      'disk',
      'lock',
      'kernel',
      'needs attention',
    ]);
    for (const name of ['path', 'permission: root', 'permission: staging', 'lock', 'needs attention'])
      expect(found.get(name)).toMatchObject({ status: 'ok', remedy: null });
    expect(found.get('disk')!.found).toMatch(/\d+ of \d+ MiB free/);
    expect(x.folder.staged()).toEqual([]);
  });

  it('tells what is not, and what to do', () => {
    fs.writeFileSync(x.folder.full('.retrace/staging/notes-1-0.kept-abc'), 'theirs');
    expect(check().get('needs attention')).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('notes-1-0.kept-abc'),
      remedy: expect.stringContaining('compare'),
    });
    fs.renameSync(x.folder.root, `${x.folder.root}-moved`);
    expect(check().get('path')).toMatchObject({ status: 'failed', remedy: expect.stringContaining(x.folder.root) });
    fs.renameSync(`${x.folder.root}-moved`, x.folder.root);
  });

  it('is for operators', () => {
    expect(() => handlers.check({}, as(AGENT))).toThrow(code('forbidden'));
  });
});
