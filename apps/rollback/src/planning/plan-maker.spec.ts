import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BlobHash,
  EventIdSchema,
  type Fact,
  type OperationId,
  parentPath,
  partitionOf,
  type PathState,
  type Principal,
  PrincipalSchema,
  type RpcCaller,
  type Selection,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import { MemoryEventLog } from '@retrace/event-log/testing';
import type { IndexedOperation } from '../domain/operation-index.js';
import { canonicalJson } from '../domain/plan-hash.js';
import {
  absent,
  context,
  directory,
  file,
  HistoryBuilder,
  lopId,
  moved,
  opId,
  sessionOf,
} from '../domain/testing/history-builder.js';
import type { Listings } from '../domain/unrecorded-entries.js';
import type { WorkspaceFacts } from '../ports/workspace-facts.port.js';
import { MemoryContents } from '../testing/memory-contents.js';
import { StoreOnDisk } from '../testing/open-store.js';
import { appliedEvent } from '../testing/stored-events.js';
import { FoldWait } from './fold-wait.js';
import { PlanMaker, type PlanMakerSettings, type PlanRequested } from './plan-maker.js';
import { PlanReader } from './plan-reader.js';

const { workspace } = context;
const ann = PrincipalSchema.parse('ann');
const caller = (principal: Principal | undefined, at: WorkspaceName | '_' = workspace): RpcCaller => ({
  principal,
  workspace: at,
  service: 'plan',
  verb: 'make',
});
const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const bySession = (agent: string): Selection => ({ by: 'session', session_id: sessionOf(agent) });

/** The disk of a workspace, and what its executor recorded. */
class Disk implements WorkspaceFacts {
  readonly states = new Map<string, PathState>();
  readonly recorded = new Map<string, OperationId>();
  readonly lost = new Set<string>();
  /** Paths whose last record is the baseline's. */
  readonly baseline = new Set<string>();
  /** Contents that were asked for. */
  readonly looked: BlobHash[] = [];
  readonly asked: string[] = [];
  /** Names by folder. */
  readonly unrecorded = new Map<string, string[]>();
  beforeFacts: () => void = () => undefined;
  beforeListings: () => Promise<void> = () => Promise.resolve();

  facts(_: WorkspaceName, paths: readonly WorkspacePath[]): Promise<Fact[]> {
    this.beforeFacts();
    this.asked.push(...paths);
    return Promise.resolve(paths.map((path) => this.fact(path)));
  }

  async listings(_: WorkspaceName, folders: readonly WorkspacePath[]): Promise<Listings> {
    await this.beforeListings();
    const namesIn = (folder: string) => [...this.standingIn(folder), ...(this.unrecorded.get(folder) ?? [])];
    return new Map(folders.map((folder) => [folder, { names: namesIn(folder), more: false }]));
  }

  missing(_: WorkspaceName, hashes: readonly BlobHash[]): Promise<BlobHash[]> {
    this.looked.push(...hashes);
    return Promise.resolve(hashes.filter((hash) => this.lost.has(hash)));
  }

  private standingIn(folder: string): string[] {
    return [...this.states]
      .filter(([path, { kind }]) => kind !== 'absent' && parentPath(path) === folder)
      .map(([path]) => path.slice(folder.length + 1));
  }

  private fact(path: WorkspacePath): Fact {
    const state = this.states.get(path) ?? absent;
    const operation_id = this.recorded.get(path);
    const recorded = operation_id ? { state, sequence: 1, operation_id, session_id: null, agent: ann } : null;
    const baseline = { state, sequence: 1, operation_id: null, session_id: null, agent: ann };
    const known = this.baseline.has(path) ? baseline : recorded;
    return { path, canonical: path, state, recorded: known, problem: null };
  }
}

describe('making a plan', () => {
  let store: StoreOnDisk;
  let disk: Disk;
  let log: MemoryEventLog;
  let past: HistoryBuilder;
  let sent: number;
  let contents: MemoryContents;
  beforeEach(() => {
    store = new StoreOnDisk();
    disk = new Disk();
    log = new MemoryEventLog();
    past = new HistoryBuilder();
    sent = 0;
    contents = new MemoryContents();
  });
  afterEach(() => store.remove());

  const maker = (settings: Partial<PlanMakerSettings> = {}) =>
    new PlanMaker(store.history, store.plans, disk, contents, new FoldWait(store.history, log), {
      maxPlanBytes: 100_000,
      waitMs: 5000,
      blobWaitMs: 0,
      sha256,
      now: () => 0,
      ...settings,
    });
  const make = (
    selection: Selection,
    by: RpcCaller,
    { options, except, ...settings }: Partial<PlanMakerSettings> & Omit<PlanRequested, 'selection'> = {},
  ) => maker(settings).make({ selection, except, options }, by);

  /** What was built since the last call reaches the log and the disk. */
  const apply = async (): Promise<IndexedOperation[]> => {
    const fresh = past.operations.slice(sent);
    sent = past.operations.length;
    for (const sequence of new Set(fresh.map((operation) => operation.sequence)))
      await log.append(appliedEvent(fresh.filter((operation) => operation.sequence === sequence)));
    for (const { path, after, operation_id } of fresh) {
      disk.states.set(path, after);
      disk.recorded.set(path, operation_id);
    }
    return fresh;
  };
  const fold = (operations: readonly IndexedOperation[]): void => {
    for (const sequence of new Set(operations.map((operation) => operation.sequence))) {
      const together = operations.filter((operation) => operation.sequence === sequence);
      const { id } = appliedEvent(together);
      const position = { sequence, eventId: id };
      store.folds.fold({ lane: String(partitionOf(workspace)), workspace, eventId: id, position }, () => ({
        operations: together,
      }));
    }
  };
  const write = async (agent: string, path: string, before: PathState, after: PathState): Promise<void> => {
    past.applied(agent, { path, before, after });
    fold(await apply());
  };

  it('answers a plan under the hash of all else in it, and keeps it for services and who asked', async () => {
    await write('ann', 'a', absent, file('A'));
    const made = await make(bySession('ann'), caller(ann));
    expect(made).toMatchObject({ requested_by: 'ann', workspace, at_sequence: 1, undoes: [lopId(1)], owners: ['ann'] });
    const { plan_hash, ...body } = made;
    expect(plan_hash).toBe(sha256(canonicalJson(body)));
    const reader = new PlanReader(store.plans);
    for (const allowed of [caller(undefined), caller(ann)]) expect(reader.get(plan_hash, allowed)).toEqual(made);
    for (const refused of [caller(PrincipalSchema.parse('bob')), caller(undefined, '_')])
      expect(() => reader.get(plan_hash, refused)).toThrow(expect.objectContaining({ code: 'unknown_plan' }));
    expect(await make(bySession('ann'), caller(ann))).toEqual(made);
  });

  it('plans for agents what is theirs, for operators and services anything', async () => {
    await write('ann', 'a', absent, file('A'));
    const bob = caller(PrincipalSchema.parse('bob'));
    await expect(make(bySession('ann'), bob)).rejects.toMatchObject({ code: 'not_yours' });
    await expect(make({ by: 'operation', operation_id: opId(1) }, bob)).rejects.toMatchObject({ code: 'not_yours' });
    expect(await make(bySession('ann'), caller(context.requestedBy))).toMatchObject({ requested_by: '_op-me' });
    expect(await make(bySession('ann'), caller(undefined))).toMatchObject({ requested_by: '_' });
    await expect(make(bySession('ann'), caller(ann, '_'))).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('says that nothing is selected, or that what failed left nothing to undo', async () => {
    const selection: Selection = { by: 'logical_operation', logical_operation_id: lopId(5) };
    await expect(make(selection, caller(ann))).rejects.toMatchObject({ code: 'nothing_selected' });
    const failure = { logical_operation_id: lopId(5), session_id: sessionOf('ann'), agent: ann, code: 'exists' };
    const id = EventIdSchema.parse('evt_00000000-0000-7000-8000-000000000001');
    store.folds.fold(
      { lane: String(partitionOf(workspace)), workspace, eventId: id, position: { sequence: 1, eventId: id } },
      () => ({ failure }),
    );
    for (const failed of [selection, bySession('ann')])
      await expect(make(failed, caller(ann))).rejects.toMatchObject({ code: 'nothing_to_undo' });
    await expect(make(selection, caller(PrincipalSchema.parse('bob')))).rejects.toMatchObject({ code: 'not_yours' });
  });

  it('waits until it has folded what the log holds', async () => {
    past.applied('ann', { path: 'a', before: absent, after: file('A') });
    const late = await apply();
    const made = make(bySession('ann'), caller(ann));
    fold(late);
    expect((await made).undoes).toEqual([lopId(1)]);
  });

  it('does not wait for ever', async () => {
    past.applied('ann', { path: 'a', before: absent, after: file('A') });
    await apply();
    await expect(make(bySession('ann'), caller(ann), { waitMs: 0 })).rejects.toMatchObject({ code: 'not_ready' });
  });

  it('looks again when something was recorded between its looks at history and disk', async () => {
    await write('ann', 'a', absent, file('A'));
    past.applied('bob', { path: 'a', before: file('A'), after: file('B') });
    const late = await apply();
    let looks = 0;
    // The log has it only now: what the disk shows was recorded, and is not a change from outside.
    log = new MemoryEventLog();
    disk.beforeFacts = () => {
      if (++looks === 2) fold(late);
    };
    const made = await make(bySession('ann'), caller(ann));
    expect(made.left_out).toMatchObject([{ why: 'dependent', later: { agent: 'bob' } }]);
    expect(looks).toBe(3);
  });

  it('looks at folders above, and at what stands below a folder that goes', async () => {
    await write('ann', 'p/d', absent, directory);
    await write('bob', 'p/d/x', absent, file('X'));
    await write('bob', 'p/d/y', absent, file('Y'));
    await write('bob', 'p/d/y', file('Y'), absent);
    await write('bob', 'q', absent, file('Q'));
    disk.states.set('p', directory);
    await make(bySession('ann'), caller(ann));
    expect(disk.asked.toSorted()).toEqual(['p', 'p/d', 'p/d/x']);
  });

  it('leaves out a folder in which something lies that nobody recorded', async () => {
    await write('ann', 'a', absent, file('A'));
    await write('ann', 'd', absent, directory);
    disk.unrecorded.set('d', ['human']);
    const made = await make(bySession('ann'), caller(ann));
    expect(made.undoes).toEqual([lopId(1)]);
    expect(made.left_out).toMatchObject([{ path: 'd', why: 'outside' }]);
  });

  it('looks again when what seemed unrecorded was recorded after its look at history', async () => {
    await write('ann', 'd', absent, directory);
    let looks = 0;
    disk.beforeListings = () => {
      if (++looks > 1) return Promise.resolve();
      past.applied('bob', { path: 'd/x', before: absent, after: file('X') });
      return apply().then(fold);
    };
    const made = await make(bySession('ann'), caller(ann));
    expect(made.left_out).toMatchObject([{ path: 'd/x', why: 'dependent', later: { agent: 'bob' } }]);
    expect(looks).toBe(2);
  });

  it('leaves out what the store has lost', async () => {
    await write('ann', 'a', file('0'), file('A'));
    await write('ann', 'b', absent, file('B'));
    const gone = file('0');
    disk.lost.add(gone.kind === 'file' ? gone.hash : '');
    const made = await make(bySession('ann'), caller(ann));
    expect(made.undoes).toEqual([lopId(2)]);
    expect(made.left_out).toMatchObject([{ logical_operation_id: lopId(1), why: 'lossy' }]);
  });

  it('refuses a plan that would not fit a message', async () => {
    await write('ann', 'a', absent, file('A'));
    const made = make(bySession('ann'), caller(ann), { maxPlanBytes: 100 });
    await expect(made).rejects.toMatchObject({ code: 'reply_too_large' });
  });

  it('counts what the baseline recorded as nothing that it should know', async () => {
    await write('ann', 'a', absent, file('A'));
    disk.baseline.add('a');
    expect(await make(bySession('ann'), caller(ann))).toMatchObject({ undoes: [lopId(1)] });
  });

  it('says what steps there are where the one that is asked for is none', async () => {
    const step = (number: number): Selection => ({ by: 'step', session_id: sessionOf('ann'), step: number });
    await expect(make(step(1), caller(ann))).rejects.toMatchObject({ message: expect.stringContaining('it has none') });
    await write('ann', 'a', absent, file('A'));
    await write('ann', 'b', absent, file('B'));
    expect(await make(step(2), caller(ann))).toMatchObject({ undoes: [lopId(2)], selection: { by: 'step' } });
    const refusal = { code: 'nothing_selected', message: expect.stringContaining('it has 2: 1 to 2') };
    await expect(make(step(3), caller(ann))).rejects.toMatchObject(refusal);
  });

  it('follows what was moved later', async () => {
    await write('ann', 'a', file('0'), file('A'));
    past.applied('bob', ...moved('a', 'b', file('A')));
    past.applied('bob', ...moved('b', 'n/c', file('A')));
    fold(await apply());
    disk.states.set('n', directory);
    const made = await make(bySession('ann'), caller(ann));
    expect(made.steps).toMatchObject([
      { path: 'n/c', restore: file('0'), keeps: [{ agent: 'bob' }, { agent: 'bob' }] },
    ]);
    expect(disk.asked).toEqual(expect.arrayContaining(['a', 'b', 'n', 'n/c']));
  });

  it('takes of what a session created only what is its own', async () => {
    await write('ann', 'a', absent, file('A'));
    await write('ann', 'b', absent, file('B'));
    await write('bob', 'b', file('B'), file('BB'));
    const made = await make({ by: 'created', session_id: sessionOf('ann') }, caller(ann));
    expect(made.steps).toMatchObject([{ path: 'a' }]);
    expect(made.left_out).toMatchObject([{ path: 'b', why: 'dependent' }]);
  });

  it('says so where nothing is left of what is selected', async () => {
    await write('ann', 'a', absent, file('A'));
    const spared = make(bySession('ann'), caller(ann), { except: [bySession('ann')] });
    await expect(spared).rejects.toMatchObject({
      code: 'nothing_selected',
      message: expect.stringContaining('excepted'),
    });
    await write('ann', 'a', file('A'), absent);
    const created = make({ by: 'created', session_id: sessionOf('ann') }, caller(ann));
    await expect(created).rejects.toMatchObject({ message: expect.stringContaining('still stands') });
  });

  it('merges with what stands on the disk, and stores the text before it answers', async () => {
    const before = contents.put('1\n2\n3\n4\n');
    const after = contents.put('1\nann\n3\n4\n');
    await write('ann', 'a', before, after);
    disk.states.set('a', contents.stand('a', '1\nann\n3\n4\nperson\n'));
    const options = { merge: true };
    const made = await make(bySession('ann'), caller(ann), { options });
    expect(made.steps).toMatchObject([{ path: 'a', how: 'merge' }]);
    expect(contents.text(made.steps[0]!.restore)).toBe('1\n2\n3\n4\nperson\n');
    expect(disk.looked).toEqual([]);
    contents.disk.set('a', Buffer.from('something else'));
    const changed = await make(bySession('ann'), caller(ann), { options });
    expect(changed.left_out).toMatchObject([{ why: 'outside', message: expect.stringContaining('not to be had') }]);
  });

  it('answers the first steps of a large plan, and the rest page by page', async () => {
    const paths = Array.from({ length: 2500 }, (_, i) => `f${String(i).padStart(4, '0')}`);
    past.applied('ann', ...paths.map((path) => ({ path, before: absent, after: file('F') })));
    fold(await apply());
    const made = await make(bySession('ann'), caller(ann));
    expect(made).toMatchObject({ step_count: 2500, left_out: [] });
    const reader = new PlanReader(store.plans);
    const seen = [...made.steps];
    expect(seen).toHaveLength(1000);
    expect(reader.get(made.plan_hash, caller(ann))).toEqual(made);
    while (seen.length < made.step_count)
      seen.push(...reader.steps({ plan_hash: made.plan_hash, from: seen.length, limit: 999 }, caller(ann)));
    expect(seen.map(({ path }) => path)).toEqual(paths);
    const { plan_hash, ...body } = made;
    expect(sha256(canonicalJson({ ...body, steps: seen }))).toBe(plan_hash);
    expect(reader.steps({ plan_hash, from: 2500, limit: 10 }, caller(ann))).toEqual([]);
    const stranger = caller(PrincipalSchema.parse('bob'));
    expect(() => reader.steps({ plan_hash, from: 0, limit: 1 }, stranger)).toThrow(
      expect.objectContaining({ code: 'unknown_plan' }),
    );
  });

  it('plans for an aborted logical operation what can go, or that there is nothing', async () => {
    past.applied(
      'ann',
      { path: 'a', before: absent, after: file('A') },
      { path: 'b', before: absent, after: file('B') },
    );
    fold(await apply());
    disk.states.set('a', file('person'));
    disk.recorded.delete('a');
    expect(await maker().forAborted(workspace, lopId(1), ann)).toMatchObject({
      requested_by: 'ann',
      steps: [{ path: 'b' }],
      left_out: [{ path: 'a', why: 'outside', only_path: true }],
    });
    const nothing = await maker().forAborted(workspace, lopId(7), ann);
    expect(nothing).toMatchObject({ steps: [], undoes: [], plan_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
