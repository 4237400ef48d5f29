import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, FsFacts, type Principal, RPC_HEADERS, WorkspacePathSchema } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import type { CallContext } from '@retrace/messaging';
import { ReadGate, TOLD_EACH } from '../reading/read-gate.js';
import { AGENT, authorize, WORKSPACE } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';
import { UnreliableLog } from '../testing/unreliable-log.js';
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
    paths: ['docs/**', 'l', 'pipe']
  - name: operators
    allow: [read]
    agents: ['_op-*']
    paths: ['**']
`;
const STRANGER = 'eve' as Principal;
const OPERATOR = '_op-local' as Principal;

let log: UnreliableLog;
let x: ExecutionFixture;
let handlers: FsHandlers;
beforeEach(() => {
  log = new UnreliableLog(new MemoryEventLog());
  x = new ExecutionFixture(log);
  const registry = { find: () => x.executor } as unknown as WorkspaceRegistry;
  handlers = new FsHandlers(registry, new ReadGate(x.store, log));
  x.store.addMember(WORKSPACE, AGENT, { sequence: 1, eventId: newId('evt') });
  x.store.putPolicy(WORKSPACE, { version: 1, yaml: POLICY }, { sequence: 2, eventId: newId('evt') });
  x.folder.put('docs/a.md', 'hello');
  x.folder.put('docs/a.key', 'secret');
  x.folder.put('src/a.ts', 'code');
});
afterEach(() => x.dispose());

const as = (principal: Principal | undefined): CallContext => ({
  caller: { principal, workspace: WORKSPACE, service: 'execution', verb: 'read' },
  header: () => undefined,
});
type Reader = Principal | 'service';
const read =
  (path: string, who: Reader = AGENT, offset = 0, length = 1000) =>
  () =>
    handlers.read({ path, offset, length }, as(who === 'service' ? undefined : who));
const text = (reading: ReturnType<typeof read>): string => Buffer.from(reading().body).toString();
const code = (value: string) => expect.objectContaining({ code: value });

async function refusals() {
  const found = [];
  for await (const event of log.read())
    if (event.type === 'retrace.access.refused.v1') found.push({ agent: event.agent, ...event.data });
  return found;
}

describe('refused reads on record', () => {
  it('name a stranger once, whatever it types', async () => {
    for (const path of ['a', 'b', 'c']) expect(read(path, STRANGER)).toThrow(code('not_a_member'));
    expect(await refusals()).toMatchObject([{ agent: STRANGER, path: 'a', code: 'not_a_member' }]);
  });

  it('end at a bound for one agent, which is refused all the same', async () => {
    for (let i = 0; i <= TOLD_EACH; i++) expect(read(`docs/${i}.key`)).toThrow(code('rule_denies'));
    expect(await refusals()).toHaveLength(TOLD_EACH);
  });
});

describe('a read', () => {
  it('answers a range, the whole size and the state', () => {
    const { body, headers } = read('docs/a.md', AGENT, 1, 3)();
    expect(Buffer.from(body).toString()).toBe('ell');
    expect(headers[RPC_HEADERS.size]).toBe('5');
    expect(JSON.parse(headers[RPC_HEADERS.state]!)).toEqual(fileOf('hello'));
    expect(read('docs/a.md', AGENT, 99, 3)().body).toHaveLength(0);
    expect(text(read('./docs//a.md'))).toBe('hello');
  });

  it('is judged by the path that a link leads to', () => {
    fs.symlinkSync('../docs/a.md', x.folder.full('src/to-docs'));
    fs.symlinkSync('../src/a.ts', x.folder.full('docs/to-src'));
    fs.symlinkSync('a.key', x.folder.full('docs/to-key'));
    expect(text(read('src/to-docs'))).toBe('hello');
    expect(read('docs/to-src')).toThrow(code('no_rule'));
    expect(read('docs/to-key')).toThrow(code('rule_denies'));
  });

  it('never leaves the workspace, whoever asks', () => {
    fs.symlinkSync('/etc/passwd', x.folder.full('l'));
    fs.symlinkSync('/etc', x.folder.full('docs/d'));
    fs.mkdirSync(`${x.folder.root}-evil`);
    fs.writeFileSync(`${x.folder.root}-evil/x`, 'evil');
    fs.symlinkSync(`${x.folder.root}-evil/x`, x.folder.full('docs/sibling'));
    fs.symlinkSync('../../ws-evil', x.folder.full('docs/sibling-folder'));
    for (const principal of [AGENT, OPERATOR, 'service'] as const) {
      for (const path of ['l', 'docs/d/passwd', 'docs/sibling', 'docs/sibling-folder/x'])
        expect(read(path, principal)).toThrow(code('outside_root'));
      expect(read('docs/../../ws-evil/x', principal)).toThrow(code('path_escapes'));
      expect(read(`${x.folder.root}-evil/x`, principal)).toThrow(code('path_absolute'));
      expect(read('.retrace/lock', principal)).toThrow(code('path_control_folder'));
    }
    fs.symlinkSync('.retrace/lock', x.folder.full('docs-lock'));
    expect(read('docs-lock', OPERATOR)).toThrow(code('path_control_folder'));
  });

  it('refuses what is no file by its kind, and waits for nothing', () => {
    spawnSync('mkfifo', [x.folder.full('pipe')]);
    expect(read('pipe')).toThrow(/fifo/);
    expect(read('docs', OPERATOR)).toThrow(/directory/);
    expect(read('docs/none')).toThrow(code('absent'));
    expect(read('docs/a.md/b', OPERATOR)).toThrow(code('not_a_folder'));
  });

  it('is for members, operators and services; strangers do not learn what exists', () => {
    for (const path of ['docs/a.md', 'docs/none', '../x', 'l'])
      expect(read(path, STRANGER)).toThrow(code('not_a_member'));
    expect(text(read('src/a.ts', OPERATOR))).toBe('code');
    expect(text(read('src/a.ts', 'service'))).toBe('code');
  });

  it('follows the newest policy', () => {
    const yaml = POLICY.replace('allow: [read]', 'deny: [read]');
    x.store.putPolicy(WORKSPACE, { version: 2, yaml }, { sequence: 9, eventId: newId('evt') });
    expect(read('docs/a.md')).toThrow(code('rule_denies'));
  });
});

describe('a refused read', () => {
  it('is an event, once per principal, path and rule', async () => {
    fs.symlinkSync('/etc/passwd', x.folder.full('l'));
    for (let i = 0; i < 3; i++) {
      expect(read('docs/a.key')).toThrow(code('rule_denies'));
      expect(read('src/a.ts')).toThrow(code('no_rule'));
      expect(read('l')).toThrow(code('outside_root'));
      expect(read('docs/a.key', STRANGER)).toThrow(code('not_a_member'));
    }
    expect(await refusals()).toMatchObject([
      { agent: AGENT, path: 'docs/a.key', code: 'rule_denies', rule: 'no-secrets' },
      { agent: AGENT, path: 'src/a.ts', code: 'no_rule', rule: 'default:deny' },
      { agent: AGENT, path: 'l', code: 'outside_root', rule: null },
      { agent: STRANGER, path: 'docs/a.key', code: 'not_a_member', rule: null },
    ]);
  });

  it('that did not reach the log is told the next time', async () => {
    log.mode = 'refuses';
    expect(read('src/a.ts')).toThrow(code('no_rule'));
    await Promise.resolve();
    log.mode = 'well';
    for (let i = 0; i < 2; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(read('src/a.ts')).toThrow(code('no_rule'));
    }
    expect(await refusals()).toHaveLength(1);
  });
});

describe('facts', () => {
  const facts = async (paths: string[], follow = false, entries?: boolean) => {
    const request = { paths: paths.map((path) => WorkspacePathSchema.parse(path)), follow, entries };
    return FsFacts.reply.parse(await handlers.facts(request, as(undefined))).facts;
  };

  it('are for services', async () => {
    for (const principal of [AGENT, OPERATOR])
      await expect(handlers.facts({ paths: [], follow: false }, as(principal))).rejects.toMatchObject({
        code: 'forbidden',
      });
  });

  it('say what stands there and who recorded it, in the order of the question', async () => {
    const outcome = await x.run(x.to.create('docs/new', 'N'));
    expect(await facts(['docs/none', 'docs/new', 'docs/a.md', 'docs'])).toEqual([
      { path: 'docs/none', canonical: 'docs/none', state: ABSENT, recorded: null, problem: null },
      {
        path: 'docs/new',
        canonical: 'docs/new',
        state: fileOf('N'),
        recorded: expect.objectContaining({ state: fileOf('N'), sequence: outcome.sequence, agent: AGENT }),
        problem: null,
      },
      { path: 'docs/a.md', canonical: 'docs/a.md', state: fileOf('hello'), recorded: null, problem: null },
      { path: 'docs', canonical: 'docs', state: { kind: 'directory', mode: 0o755 }, recorded: null, problem: null },
    ]);
  });

  it('follow links only when asked to, and tell problems instead of throwing', async () => {
    fs.symlinkSync('docs/a.md', x.folder.full('l'));
    fs.symlinkSync('/etc', x.folder.full('out'));
    expect(await facts(['l', 'out/passwd'])).toMatchObject([
      { canonical: 'l', state: { kind: 'link', target: 'docs/a.md' } },
      { state: ABSENT, problem: { code: 'link_refused' } },
    ]);
    expect(await facts(['l', 'out/passwd'], true)).toMatchObject([
      { canonical: 'docs/a.md', state: fileOf('hello'), problem: null },
      { canonical: 'out/passwd', problem: { code: 'outside_root' } },
    ]);
  });

  it('name what lies in a folder where asked to, what nobody recorded first', async () => {
    await x.run(x.to.create('docs/A', 'A'));
    await x.run(x.to.create('docs/B', 'B'));
    fs.writeFileSync(Buffer.concat([Buffer.from(x.folder.full('docs/z')), Buffer.from([0xff])]), '');
    await x.run(x.to.remove('docs/B'));
    x.folder.put('docs/B', 'a person');
    x.folder.put('docs/.retrace/x', '');
    const [docs, file, none] = await facts(['docs', 'docs/A', 'none'], false, true);
    expect(docs?.entries).toEqual(['.retrace', 'B', 'a.key', 'a.md', 'z\uFFFD', 'A']);
    expect(docs?.entries_more).toBeUndefined();
    expect([file?.entries, none?.entries]).toEqual([undefined, undefined]);
    expect((await facts(['docs']))[0]?.entries).toBeUndefined();
  });

  it.each([
    ['names', 1200, 'f', 1000],
    ['bytes', 300, 'f'.repeat(200), 158],
  ])('name only so many %s, and say so', async (_, count, name, named) => {
    await x.run(x.to.create('docs/A', 'A'));
    fs.mkdirSync(x.folder.full('many'));
    for (let i = 0; i < count; i++) x.folder.put(`many/${name}${1000 + i}`, '');
    const [many] = await facts(['many'], false, true);
    expect(many).toMatchObject({ entries_more: true });
    expect(many?.entries).toHaveLength(named);
  });

  it.each([false, true])('wait for the log to answer for what was just done (links followed: %s)', async (follow) => {
    const authority = await authorize(log, [x.to.create('docs/new', 'N')]);
    log.mode = 'refuses';
    await x.start(authority);
    const asked = facts(['docs/new'], follow);
    log.mode = 'well';
    expect(await asked).toMatchObject([{ recorded: { sequence: authority.sequence + 1 } }]);
  });
});

it('only operators take folders under care', async () => {
  for (const principal of [AGENT, undefined])
    expect(() => handlers.addWorkspace({ name: WORKSPACE, root: '/' }, as(principal))).toThrow(code('forbidden'));
  await x.idle();
});
