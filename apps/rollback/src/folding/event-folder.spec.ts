import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type EventEnvelope,
  MAX_STEPS_PER_REQUEST,
  OperationApplied,
  OperationFailed,
  partitionOf,
  type RollbackPlan,
  LogicalOperationAborted,
  RollbackAuthorized,
  RollbackCompleted,
  type StoredEvent,
} from '@retrace/contracts';
import { type Appended, deriveId } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { authorization, planOfFiles } from '../domain/testing/rollback-plans.js';
import { context, lopId, sessionOf } from '../domain/testing/history-builder.js';
import { OutboxPublisher } from '../publishing/outbox-publisher.js';
import { StoreOnDisk } from '../testing/open-store.js';
import { abortedEvent, appliedEvent, authorizedEvent, partApplied, partFailed } from '../testing/stored-events.js';
import { EventFolder } from './event-folder.js';

const { workspace } = context;
const lane = String(partitionOf(workspace));
const { plan, past } = planOfFiles(MAX_STEPS_PER_REQUEST + 1);
const history = past.operations.map((operation) => appliedEvent([operation]));
const start = history.length;

/** What the log tells the service, as it stands at a sequence. */
type Message = (sequence: number) => StoredEvent;
const authorized: Message = (sequence) => authorizedEvent(authorization, sequence);
const failed =
  (part: number): Message =>
  (sequence) =>
    partFailed(authorization, part, sequence);
const restored =
  (part: number): Message =>
  (sequence) =>
    partApplied(authorization, part, [{ ...past.operations[part]!, kind: 'rollback' }], sequence);

const step = (part: number) => deriveId('evt', authorization.rollback_id, part, 'step');
const completed = deriveId('evt', authorization.rollback_id, 'completed');

/** A log that says how often rollback wrote to it: the one in memory drops doubles, a real one may not. */
class CountingLog extends MemoryEventLog {
  readonly written: string[] = [];

  override append(event: EventEnvelope): Promise<Appended> {
    if (event.source === 'retrace/rollback') this.written.push(event.id);
    return super.append(event);
  }
}

const runs = [
  { name: 'every part is applied', messages: [authorized, restored(1), restored(2)], asked: [1, 2], outcome: 'undone' },
  { name: 'the first part fails', messages: [authorized, failed(1)], asked: [1], outcome: 'failed' },
  {
    name: 'the second part fails',
    messages: [authorized, restored(1), failed(2)],
    asked: [1, 2],
    outcome: 'partial',
  },
];

describe('a rollback in the store and the log', () => {
  let store: StoreOnDisk;
  let log: CountingLog;
  beforeEach(async () => {
    store = new StoreOnDisk();
    log = new CountingLog();
    store.plans.keep(plan, 0);
    for (const event of history) {
      await log.append(event);
      fold(event);
    }
  });
  afterEach(() => store.remove());

  const folderNow = (): EventFolder =>
    new EventFolder(
      store.folds,
      () => undefined,
      () => '2026-01-01T00:00:00.000Z',
    );
  const fold = (event: StoredEvent): void => {
    const folder = folderNow();
    const delivery = { lane, position: { sequence: event.sequence, eventId: event.id } };
    if (event.type === OperationApplied.type) folder.applied(event, delivery);
    if (event.type === OperationFailed.type) folder.failed(event, delivery);
    if (event.type === RollbackAuthorized.type) folder.authorized(event, delivery);
    if (event.type === RollbackCompleted.type) folder.completed(event, delivery);
    if (event.type === LogicalOperationAborted.type) folder.aborted(event, delivery);
  };
  /** The message comes to stand in the log; answers it as the lane delivers it. */
  const arrive = async (message: Message): Promise<StoredEvent> => {
    const sequence = (await log.lastSequence()) + 1;
    await log.append(message(sequence));
    return message(sequence);
  };
  const publish = async (): Promise<void> => {
    const publisher = new OutboxPublisher(store.outbox, log, (error) => {
      throw error;
    });
    publisher.kick();
    await publisher.drained();
  };
  const inLog = async (): Promise<StoredEvent[]> => {
    const events: StoredEvent[] = [];
    for await (const event of log.read()) events.push(event);
    return events;
  };

  describe.each(runs)('of which $name', ({ messages, asked, outcome }) => {
    const ids = [...asked.map(step), completed];

    it('asks for each part once and reports once', async () => {
      for (const message of messages) {
        fold(await arrive(message));
        await publish();
      }
      expect(log.written).toEqual(ids);
      const done = messages.filter((message) => message !== authorized).length - (outcome === 'undone' ? 0 : 1);
      const restoredPaths = plan.steps.slice(0, done * MAX_STEPS_PER_REQUEST).map(({ path }) => path);
      expect((await inLog()).at(-1)).toMatchObject({
        data: { outcome, restored: restoredPaths, merged: [], forced: [] },
        correlationid: authorization.intent_id,
      });
    });

    it('does so too with a crash after every message, before anything is published', async () => {
      for (const message of messages) {
        const event = await arrive(message);
        fold(event);
        await store.reopen();
        fold(event);
        await publish();
      }
      expect(log.written).toEqual(ids);
      expect(store.outbox.waiting(9)).toEqual([]);
    });

    it('does so too with a crash after every publish, before that is noted', async () => {
      for (const message of messages) {
        const event = await arrive(message);
        fold(event);
        for (const waiting of store.outbox.waiting(9)) await log.append(waiting.event);
        await store.reopen();
        await publish();
        fold(event);
      }
      expect(log.written).toEqual(ids);
    });

    it('says nothing new when its lane is folded again from the start, its plan being gone or not', async () => {
      for (const message of messages) {
        fold(await arrive(message));
        await publish();
      }
      for (const gone of [false, true]) {
        store.folds.forget(lane);
        if (gone) store.environment.plans.removeSync(plan.plan_hash);
        for (const event of await inLog()) fold(event);
        await publish();
      }
      expect(log.written).toEqual(ids);
    });
  });

  it('forgets with its lane what it had asked for, and asks again', () => {
    fold(authorized(start + 1));
    store.folds.forget(lane);
    expect(store.outbox.waiting(9)).toEqual([]);
    fold(authorized(start + 1));
    expect(store.outbox.waiting(9).map(({ event }) => event.id)).toEqual([step(1)]);
  });

  it('asks with derived operation ids, under the ids of the authorization', async () => {
    fold(await arrive(authorized));
    await publish();
    const { rollback_id, logical_operation_id, intent_id, reason, decision } = authorization;
    expect((await inLog()).slice(start + 1)).toMatchObject([
      {
        id: step(1),
        agent: authorization.agent,
        causationid: authorized(start + 1).id,
        data: {
          rollback_id,
          logical_operation_id,
          intent_id,
          reason,
          decision,
          part: 1,
          parts: 2,
          steps: plan.steps
            .slice(0, MAX_STEPS_PER_REQUEST)
            .map((planned, index) => ({ ...planned, operation_id: deriveId('op', rollback_id, 1, index) })),
        },
      },
    ]);
  });

  it('ends with a failure where the plan is of another workspace', async () => {
    store.plans.keep({ ...plan, workspace: 'other' }, 1);
    fold(await arrive(authorized));
    await publish();
    expect((await inLog()).slice(start + 1)).toMatchObject([
      { id: completed, data: { outcome: 'failed', failures: [{ code: 'unknown_plan' }] } },
    ]);
  });

  describe('of an aborted logical operation', () => {
    const aborted: Message = (sequence) => abortedEvent(authorization, lopId(1), sequence);
    const ids = [step(1), step(2), completed];
    const planAll = (given: RollbackPlan = plan): void => {
      for (const pending of store.folds.aborts()) folderNow().planned(pending, given, 0);
    };

    it('waits until it is planned, then runs under the ids of the event', async () => {
      fold(await arrive(aborted));
      await publish();
      expect(log.written).toEqual([]);
      expect(store.folds.aborts()).toMatchObject([{ aborted: lopId(1), sequence: start + 1, applied: 0 }]);
      planAll();
      expect(store.folds.aborts()).toEqual([]);
      for (const message of [restored(1), restored(2)]) {
        await publish();
        fold(await arrive(message));
      }
      await publish();
      expect(log.written).toEqual(ids);
      const { logical_operation_id, intent_id } = authorization;
      const decision = { rule: 'logical_operation.aborted' };
      expect((await inLog()).filter(({ id }) => id === step(1))).toMatchObject([
        {
          agent: authorization.agent,
          causationid: aborted(start + 1).id,
          data: { logical_operation_id, intent_id, decision },
        },
      ]);
      expect((await inLog()).at(-1)).toMatchObject({ data: { outcome: 'undone', logical_operation_id } });
    });

    it('does so too with a crash after every step of it', async () => {
      fold(await arrive(aborted));
      await store.reopen();
      planAll();
      await store.reopen();
      await publish();
      for (const message of [restored(1), restored(2)]) {
        const event = await arrive(message);
        fold(event);
        await store.reopen();
        fold(event);
        planAll();
        await publish();
      }
      expect(log.written).toEqual(ids);
    });

    it('goes on by the same plan when its lane is folded again in the middle', async () => {
      fold(await arrive(aborted));
      planAll();
      await publish();
      fold(await arrive(restored(1)));
      store.folds.forget(lane);
      for (const event of await inLog()) fold(event);
      expect(store.folds.aborts()).toEqual([]);
      await publish();
      fold(await arrive(restored(2)));
      await publish();
      expect(log.written).toEqual(ids);
      expect((await inLog()).at(-1)).toMatchObject({ data: { restored: plan.steps.map(({ path }) => path) } });
    });

    it('is not planned again by a store that has lost everything, once it is reported', async () => {
      fold(await arrive(aborted));
      planAll({ ...plan, steps: [], undoes: [] });
      await publish();
      expect((await inLog()).at(-1)).toMatchObject({ id: completed, data: { outcome: 'nothing', restored: [] } });
      await store.remove();
      store = new StoreOnDisk();
      for (const event of await inLog()) fold(event);
      expect(store.folds.aborts()).toEqual([]);
      await publish();
      expect(log.written).toEqual([completed]);
    });

    it('is reported as failed where it cannot be planned, also by a store that has lost everything', async () => {
      fold(await arrive(aborted));
      const giveUp = (): void => {
        const refusal = { code: 'reply_too_large', message: 'too much' };
        for (const pending of store.folds.aborts()) folderNow().abandoned(pending, plan.plan_hash, refusal);
      };
      giveUp();
      await store.reopen();
      expect(store.folds.aborts()).toEqual([]);
      await publish();
      expect((await inLog()).at(-1)).toMatchObject({
        id: completed,
        causationid: aborted(start + 1).id,
        correlationid: authorization.intent_id,
        data: { outcome: 'failed', restored: [], failures: [{ code: 'reply_too_large', message: 'too much' }] },
      });
      await store.remove();
      store = new StoreOnDisk();
      for (const event of await inLog()) fold(event);
      expect(store.folds.aborts()).toEqual([]);
      giveUp();
      await publish();
      expect(log.written).toEqual([completed]);
    });

    it('is planned for its rest by a store that has lost its plan in the middle', async () => {
      fold(await arrive(aborted));
      planAll();
      await publish();
      await arrive(restored(1));
      await store.remove();
      store = new StoreOnDisk();
      for (const event of await inLog()) fold(event);
      expect(store.folds.aborts()).toMatchObject([{ applied: 1 }]);
      planAll({ ...plan, steps: plan.steps.slice(-1) });
      await publish();
      fold(await arrive(restored(2)));
      await publish();
      expect(log.written).toEqual(ids);
    });
  });

  it('keeps what was restored in the index, as something that can be undone', () => {
    fold(authorized(start + 1));
    fold(restored(1)(start + 2));
    const { logical_operation_id } = authorization;
    const rows = store.history.selected(workspace, { by: 'logical_operation', logical_operation_id }, 9);
    expect(rows).toMatchObject([{ kind: 'rollback', sequence: start + 2 }]);
    const session = { by: 'session', session_id: sessionOf('writer') } as const;
    expect(store.history.selected(workspace, session, 999)).toHaveLength(start);
  });
});
