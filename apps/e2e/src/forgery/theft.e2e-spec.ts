import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callPattern, RPC_HEADERS } from '@retrace/contracts';
import { blobHash } from './blob-hash.js';
import { newId } from '@retrace/event-log';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { treeOf } from '@retrace/testing';
import { attempts, type Tried, tryAll } from './calls.js';
import { Outcomes } from './outcomes.js';
import type { PlainClient } from './plain-client.js';
import { AGENTS, Scene, SECRET, SECRET_HASH, SECRET_REASON, SECRET_TASK } from './scene.js';
import { HIDDEN, type Victim, workInSecret } from './victim.js';

const scene = new Scene();
jest.setTimeout(60_000);
const WORKSPACES = ['notes', '_', 'next-door'];
let victim: Victim;
let passwords: string[];
let seen = '';

beforeAll(async () => {
  await scene.open();
  victim = await workInSecret(scene);
  passwords = await scene.passwords();
}, 120_000);
afterAll(() => scene.close(), 60_000);

/** What only honest and operators know. */
const marks = (): string[] => [
  SECRET.slice(0, -5),
  HIDDEN.trim(),
  SECRET_TASK,
  SECRET_REASON,
  SECRET_HASH,
  ...victim.ids,
];

/** Marks that an answer told which were not in the question. */
const toldBy = ({ call, body, headers, got }: Tried): string[] =>
  marks()
    .filter((mark) => got.text.includes(mark) && !body.includes(mark) && !Object.values(headers).includes(mark))
    .map((mark) => `${callPattern(call)} ${body} told ${mark}`);

describe('what another agent did and holds', () => {
  it.each(AGENTS)('is told to %s by no call, however it is asked', async (role) => {
    const before = await scene.log.lastSequence();
    const tried = await tryAll(await scene.as(role), attempts(victim.words), WORKSPACES);
    seen += tried.map(({ got }) => got.text).join('\n');
    expect(tried.flatMap(toldBy)).toEqual([]);
    // Nothing came of it but the record of what was refused.
    for (const event of await scene.log.added(before)) expect(event).toBe(`access.refused ${role}`);
    expect(tried.filter(({ got }) => got.verdict === 'internal')).toEqual([]);
  });

  it.each([
    'policy.publish',
    'policy.add_member',
    'fs.add_workspace',
    'fs.check',
    'blob.check',
    'query.rebuild',
    'fs.facts',
    'fs.tree',
    'blob.missing',
    'blob.present',
    'blob.adopt',
    'blob.adopt_many',
  ])('includes the right to %s', async (pattern) => {
    const own = attempts(victim.words).filter(({ call }) => callPattern(call) === pattern);
    for (const role of AGENTS) {
      const tried = await tryAll(await scene.as(role), own, ['notes']);
      expect(new Set(tried.map(({ got }) => got.verdict))).toEqual(new Set(['forbidden']));
    }
  });

  it('is told to an operator by the same questions', async () => {
    const tried = await tryAll(await scene.as('_op-ada'), attempts(victim.words), WORKSPACES);
    const told = tried.map(({ got }) => got.text).join('\n');
    expect(marks().filter((mark) => !told.includes(mark))).toEqual([]);
    seen += told;
  }, 30_000);
});

describe('content by its hash', () => {
  let thief: PlainClient;
  let outcomes: Outcomes;
  let session: string;

  const put = (text: string, hash: string, size = text.length) =>
    thief.request('retrace.rpc.thief._.blob.put', text, {
      [RPC_HEADERS.hash]: hash,
      [RPC_HEADERS.offset]: '0',
      [RPC_HEADERS.size]: String(size),
    });
  const get = (hash: string) =>
    thief.request('retrace.rpc.thief._.blob.get', JSON.stringify({ hash, offset: 0, length: 100 }));
  const apply = (operations: readonly object[], more: object = {}) =>
    outcomes.send('notes', {
      type: 'operation.apply',
      intent_id: newId('int'),
      session_id: session,
      operations: operations.map((operation) => ({ operation_id: newId('op'), ...operation })),
      ...more,
    } as { intent_id: string });

  beforeAll(async () => {
    thief = await scene.as('thief');
    outcomes = await Outcomes.of(thief);
    session = newId('ses');
    await outcomes.send('notes', {
      type: 'session.open',
      intent_id: newId('int'),
      session_id: session,
      task: 'steal',
    } as { intent_id: string });
  });

  it('is neither read, nor taken by a first piece or by other bytes under its name', async () => {
    expect((await get(SECRET_HASH)).verdict).toBe('blob_forbidden');
    expect((await get('0'.repeat(64))).verdict).toBe('blob_forbidden');
    expect((await put('n', SECRET_HASH, SECRET.length)).body).toContain('"done":false');
    expect((await put('x'.repeat(SECRET.length), SECRET_HASH)).verdict).toBe('blob_mismatch');
    expect((await get(SECRET_HASH)).verdict).toBe('blob_forbidden');
  });

  it('is written by nobody who did not bring it', async () => {
    const content = { content_hash: SECRET_HASH, size: SECRET.length };
    const blob = { hash: SECRET_HASH, size: SECRET.length, count: 1 };
    const ends = await Promise.all([
      ...['create', 'write', 'append', 'edit'].map((action, at) =>
        apply([{ action, path: `public/${at}.md`, ...content }]),
      ),
      apply([], { operations_blob: blob }),
    ]);
    expect(ends.map(({ type, code }) => `${type} ${code}`)).toEqual(Array(5).fill('intent.denied content_missing'));
  }, 60_000);

  it('is written and read by who brought it', async () => {
    const text = 'my own\n';
    expect((await put(text, blobHash(text))).body).toContain('"done":true');
    expect((await get(blobHash(text))).body).toBe(text);
    const content = { content_hash: blobHash(text), size: text.length };
    expect(await apply([{ action: 'create', path: 'public/mine.md', ...content }])).toMatchObject({
      type: 'operation.applied',
    });
  });

  it.each([
    ['a copy', { action: 'copy', path: 'secret/plan.md', to: 'public/stolen.md' }],
    ['a copy of its folder', { action: 'copy', path: 'secret', to: 'public/stolen', recursive: true }],
    ['a copy of what may only be overwritten', { action: 'copy', path: 'drop/box.md', to: 'public/stolen.md' }],
    ['a move', { action: 'move', path: 'secret/plan.md', to: 'public/stolen.md' }],
    ['a move of what may only be overwritten', { action: 'move', path: 'drop/box.md', to: 'public/stolen.md' }],
    ['a deletion', { action: 'delete', path: 'secret/plan.md' }],
    ['a chmod', { action: 'chmod', path: 'secret/plan.md', mode: 0o644 }],
  ])('does not come out by %s', async (_, operation) => {
    const before = treeOf(scene.folder);
    const end = await apply([operation]);
    expect(end.type).toBe('intent.denied');
    expect(JSON.stringify(end.data)).not.toContain(SECRET_HASH);
    expect(treeOf(scene.folder)).toEqual(before);
  });

  it('does not come out through a link', async () => {
    const link = await apply([{ action: 'symlink', path: 'public/door', target: '../secret/plan.md' }]);
    const body = JSON.stringify({ path: 'public/door', offset: 0, length: 100 });
    const read = await thief.request('retrace.rpc.thief.notes.fs.read', body);
    expect([link.type, read.verdict]).toEqual(['operation.applied', 'no_rule']);
  });

  it('is not guessed by edits of a file that may be overwritten but not read', async () => {
    const script = (guess: string) => JSON.stringify({ edits: [{ old_text: guess, new_text: guess }] });
    const ends = [];
    for (const guess of ['nobody but honest', 'not in there']) {
      const text = script(guess);
      await put(text, blobHash(text));
      ends.push(
        await apply([{ action: 'edit', path: 'drop/box.md', content_hash: blobHash(text), size: text.length }]),
      );
    }
    expect(ends[0]!.code).toBe(ends[1]!.code);
    expect(ends[0]!.type).toBe('intent.denied');
  });
});

it('no password stands in any answer, outcome, event, or line of the system’s log', async () => {
  const log = JSON.stringify(await scene.log.after(0));
  const places = { answers: seen, log, output: scene.system.output() };
  for (const [place, text] of Object.entries(places))
    expect([place, passwords.filter((password) => text.includes(password)).length]).toEqual([place, 0]);
  // The scan finds what is there.
  const file = readFileSync(join(scene.system.home.credentials, 'thief.json'), 'utf8');
  expect(passwords.filter((password) => file.includes(password))).toHaveLength(1);
  expect(log).toContain(SECRET_REASON);
});

it('leaves the honest agent at work', async () => {
  await scene.session.write('secret/after.md', 'still here\n', { reason: 'works' });
  expect((await scene.honest.read('secret/after.md')).text()).toBe('still here\n');
});
