import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ApplyIntent,
  BlobMissing,
  FsFacts,
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  MessageRejected,
  type OperationRequest,
  type SessionId,
  SessionOpened,
  type StoredEvent,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { fact, file, hash, id } from './domain/testing.js';
import { OPERATOR, PolicyHarness, until, WRITER, WS } from './testing/policy-harness.js';

const session = id<SessionId>('ses', 1);
const open = { type: 'session.open', intent_id: id<never>('int', 1000), session_id: session, task: 'tidy' } as const;
const NEVER = 3_600_000;

const write = (path: string, content = hash('a'), action: 'write' | 'create' | 'edit' = 'write'): OperationRequest => ({
  action,
  operation_id: newId('op'),
  path,
  content_hash: content,
  size: 3,
});
const apply = (...operations: OperationRequest[]): ApplyIntent => ({
  type: 'operation.apply',
  intent_id: newId('int'),
  session_id: session,
  operations,
});
const placeOf = (event: StoredEvent) => [event.id, event.sequence];
const codes = (events: readonly StoredEvent[]) => events.map(({ data }) => ('code' in data ? data.code : undefined));

describe('policy on a bus', () => {
  let bus: PolicyHarness;

  beforeEach(async () => {
    bus = await PolicyHarness.open();
    await bus.workspaceIsReady();
  }, 120_000);
  afterEach(async () => {
    await bus.close();
  });

  const startWithSession = async (timings: Parameters<PolicyHarness['start']>[0] = {}): Promise<void> => {
    await bus.start(timings);
    await bus.send(open);
    await bus.eventually('session.opened');
  };

  it('decides an intent and names what it answers', async () => {
    await startWithSession();
    const intent = { ...apply(write('free/a')), reason: 'password=hunter2', agent: OPERATOR };
    await bus.send(intent);
    const decision = await bus.answerTo(intent.intent_id);
    expect(decision).toMatchObject({
      type: IntentAuthorized.type,
      agent: 'writer',
      correlationid: intent.intent_id,
      sessionid: session,
      data: { in_sequence: 2, attempt: 1, reason: 'password=[redacted:password]' },
    });
  });

  it('answers strangers and unknown workspaces on the record', async () => {
    await bus.start();
    const stranger = { ...open, intent_id: newId('int') };
    await bus.send(stranger, 'stranger' as never);
    const lost = { ...open, intent_id: newId('int') };
    await bus.send(lost, WRITER, 'nowhere' as never);
    expect(codes([await bus.answerTo(stranger.intent_id), await bus.answerTo(lost.intent_id)])).toEqual([
      'not_a_member',
      'unknown_workspace',
    ]);
  });

  it('decides nothing twice after a restart, and goes on where it was', async () => {
    await startWithSession({ purgeEveryMs: NEVER });
    const intents = [apply(write('free/a')), apply(write('closed/b')), apply(write('free/c'))];
    for (const intent of intents) await bus.send(intent);
    await bus.answerTo(intents[2]!.intent_id);
    await bus.stop();
    const later = apply(write('free/d'));
    await bus.send(later);
    expect(await bus.waitingIntents()).toBe(5);
    await bus.start();
    await bus.answerTo(later.intent_id);
    const decisions = (await bus.events()).filter(({ source }) => source === 'retrace/policy');
    expect(decisions.map(({ correlationid }) => correlationid)).toEqual(
      [open, ...intents, later].map(({ intent_id }) => intent_id),
    );
  });

  it('answers an intent once that is sent again, before and after its decision', async () => {
    await startWithSession();
    const intent = apply(write('free/a'));
    await bus.send(intent);
    await bus.send(intent);
    await bus.answerTo(intent.intent_id);
    await bus.send(intent);
    const last = apply(write('free/z'));
    await bus.send(last);
    await bus.answerTo(last.intent_id);
    expect(await bus.events('intent.authorized')).toHaveLength(2);
    await until('an empty door', async () => ((await bus.waitingIntents()) === 0 ? true : undefined));
  });

  it('decides pipelined intents in the order they were published', async () => {
    await bus.start();
    const intents = Array.from({ length: 60 }, (_, index) =>
      apply(write('grows/same', hash('a'), 'create'), write(`free/${index % 7}`)),
    );
    await bus.send(open);
    for (const intent of intents) await bus.send(intent);
    await bus.answerTo(intents.at(-1)!.intent_id);
    const decisions = (await bus.events('intent.')).map(({ correlationid }) => correlationid);
    expect(decisions).toEqual(intents.map(({ intent_id }) => intent_id));
  });

  it('pins a decision to work that is in flight, its own included', async () => {
    await startWithSession();
    const first = apply(write('grows/a', hash('a'), 'create'));
    const second = apply(write('grows/a'));
    await bus.send(first);
    await bus.send(second);
    expect(codes([await bus.answerTo(second.intent_id)])).toEqual(['no_rule']);
  });

  describe('content', () => {
    const uploaded = new Set<string>();
    beforeEach(() => {
      uploaded.clear();
      bus.answer(BlobMissing, async ({ hashes, wait_ms }) => {
        const missing = (): (typeof hashes)[number][] => hashes.filter((name) => !uploaded.has(name));
        if (missing().length > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(wait_ms, 20)));
        return { missing: missing() };
      });
    });

    it('is waited for; meanwhile intents pass that touch nothing in common', async () => {
      uploaded.add(hash('c'));
      await startWithSession();
      const waits = apply(write('free/a', hash('b')));
      const below = apply(write('free/a/b', hash('c')));
      const apart = apply(write('free/z', hash('c')));
      for (const intent of [waits, below, apart]) await bus.send(intent);
      await bus.answerTo(apart.intent_id);
      expect(await bus.events('intent.')).toHaveLength(1);
      uploaded.add(hash('b'));
      await bus.answerTo(below.intent_id);
      const order = (await bus.events('intent.authorized')).map(({ correlationid }) => correlationid);
      expect(order).toEqual([apart, waits, below].map(({ intent_id }) => intent_id));
    });

    it('that does not come in time denies the intent', async () => {
      await startWithSession({ blobWaitMs: 100 });
      const intent = apply(write('free/a', hash('b')));
      await bus.send(intent);
      expect(await bus.answerTo(intent.intent_id)).toMatchObject({
        type: IntentDenied.type,
        data: { code: 'content_missing', path: 'free/a', retryable: true },
      });
    });

    it('is no longer waited for once the intent is withdrawn', async () => {
      await startWithSession({ blobWaitMs: NEVER });
      const waits = apply(write('free/a', hash('b')));
      const behind = apply(write('free/a', hash('d')));
      for (const intent of [waits, behind]) await bus.send(intent);
      await bus.send({ type: 'withdraw', intent_id: newId('int'), withdrawn_intent_id: behind.intent_id });
      expect(codes([await bus.answerTo(behind.intent_id)])).toEqual(['withdrawn']);
      await bus.send(
        { type: 'withdraw', intent_id: newId('int'), withdrawn_intent_id: waits.intent_id },
        'other' as never,
      );
      await bus.send({ type: 'withdraw', intent_id: newId('int'), withdrawn_intent_id: waits.intent_id });
      expect(codes([await bus.answerTo(waits.intent_id)])).toEqual(['withdrawn']);
      await until('an empty door', async () => ((await bus.waitingIntents()) === 0 ? true : undefined));
    });
  });

  it('passes poison by, on the record, and once', async () => {
    await startWithSession({ purgeEveryMs: NEVER });
    await bus.send('{ no json');
    const malformed = { ...apply(write('free/a')), operations: [{ action: 'explode' }] };
    await bus.send(malformed);
    const huge = { ...apply(write('free/a')), padding: 'x'.repeat(257 * 1024) };
    await bus.send(huge);
    const good = apply(write('free/a'));
    await bus.send(good);
    await bus.answerTo(good.intent_id);
    expect(await bus.answerTo(malformed.intent_id)).toMatchObject({
      data: { code: 'malformed_intent', message: expect.stringContaining('operations[0].action') },
    });
    expect(codes([await bus.answerTo(huge.intent_id)])).toEqual(['intent_too_large']);
    await bus.stop();
    await bus.start();
    const last = apply(write('free/b'));
    await bus.send(last);
    await bus.answerTo(last.intent_id);
    expect(await bus.events('message.rejected')).toMatchObject([
      { type: MessageRejected.type, workspace: WS, data: { service: 'policy', stream: 'RETRACE_IN', sequence: 2 } },
    ]);
  });

  describe('an intent that execution sent back', () => {
    const sendBack = async (decision: StoredEvent, why: 'link' | 'moved'): Promise<void> => {
      const { intent_id, in_sequence, attempt, logical_operation_id } = decision.data as StoredEvent<
        typeof IntentAuthorized
      >['data'];
      const data = { intent_id, in_sequence, attempt, logical_operation_id, paths: [{ path: 'free/a', why }] };
      await bus.happened(IntentStale, data);
    };

    it('is decided again over the object that a link names', async () => {
      const asked: unknown[] = [];
      bus.answer(FsFacts, ({ paths, follow }) => {
        asked.push({ paths, follow });
        return Promise.resolve({
          facts: paths.map((path) => fact(path, file(), { canonical: 'free/target' as never })),
        });
      });
      await startWithSession();
      const intent = { ...apply(write('free/a')), tool: 'write_file' };
      await bus.send(intent);
      const first = await bus.answerTo(intent.intent_id);
      await sendBack(first, 'link');
      const second = await bus.answerTo(intent.intent_id, 2);
      expect(asked).toEqual([{ paths: ['free/a'], follow: true }]);
      expect(second).toMatchObject({
        type: IntentAuthorized.type,
        data: {
          in_sequence: 2,
          tool: 'write_file',
          logical_operation_id: (first.data as { logical_operation_id: string }).logical_operation_id,
          operations: [{ request: intent.operations[0], canonical: 'free/target' }],
        },
      });
    });

    it('is decided after a restart where policy was down meanwhile, and once', async () => {
      await startWithSession();
      const intent = apply(write('free/a'));
      await bus.send(intent);
      const first = await bus.answerTo(intent.intent_id);
      await bus.stop();
      await sendBack(first, 'moved');
      await bus.start();
      await bus.answerTo(intent.intent_id, 2);
      await bus.stop();
      await bus.start();
      const last = apply(write('free/z'));
      await bus.send(last);
      await bus.answerTo(last.intent_id);
      expect(await bus.events('intent.authorized')).toHaveLength(3);
    });

    it('is denied after the third attempt', async () => {
      await startWithSession();
      const intent = apply(write('free/a'));
      await bus.send(intent);
      for (const attempt of [1, 2, 3]) await sendBack(await bus.answerTo(intent.intent_id, attempt), 'moved');
      expect(codes([await bus.answerTo(intent.intent_id, 4)])).toEqual(['stale_too_often']);
    });
  });

  describe('facts', () => {
    it('decide where the class depends on what stands there', async () => {
      bus.answer(FsFacts, ({ paths }) => Promise.resolve({ facts: paths.map((path) => fact(path, file())) }));
      await startWithSession();
      const intent = apply(write('fixed/a'));
      await bus.send(intent);
      expect(await bus.answerTo(intent.intent_id)).toMatchObject({
        data: { operations: [{ class: 'overwrite', pin: { kind: 'state', state: file(), sequence: null } }] },
      });
    });

    it('that nobody gives hold up the others for a while, then only what overlaps, then deny', async () => {
      await startWithSession({ factsParkMs: 50, factsGiveUpMs: 1500 });
      const asks = apply(write('fixed/a'));
      const same = apply(write('fixed/a', hash('a'), 'edit'));
      const apart = apply(write('free/a'));
      for (const intent of [asks, same, apart]) await bus.send(intent);
      await bus.answerTo(same.intent_id);
      const answers = await bus.events('intent.');
      expect(answers.map(({ correlationid }) => correlationid)).toEqual(
        [apart, asks, same].map(({ intent_id }) => intent_id),
      );
      expect(answers[1]).toMatchObject({ data: { code: 'workspace_unavailable', retryable: true } });
    });
  });

  describe('a broker that dies', () => {
    it('and comes back finds every intent answered once, and those on one path in their order', async () => {
      await startWithSession();
      const intents = Array.from({ length: 40 }, (_, index) => apply(write(`free/${index % 4}`)));
      for (const intent of intents.slice(0, 20)) await bus.send(intent);
      await bus.restartBroker({ wiped: false });
      for (const intent of intents.slice(20)) await bus.send(intent);
      for (const intent of intents.slice(-4)) await bus.answerTo(intent.intent_id);
      const answered = (await bus.events('intent.authorized')).map(({ correlationid }) => correlationid);
      const ids = intents.map(({ intent_id }): string => intent_id);
      expect(new Set(answered)).toEqual(new Set(ids));
      expect(answered).toHaveLength(ids.length);
      for (let path = 0; path < 4; path++) {
        const here = ids.filter((_, index) => index % 4 === path);
        expect(answered.filter((answer) => here.includes(answer ?? ''))).toEqual(here);
      }
    }, 60_000);

    it('and comes back with nothing is given what policy published, with the same ids, and work goes on', async () => {
      await startWithSession();
      const intent = apply(write('free/a'));
      await bus.send(intent);
      await bus.answerTo(intent.intent_id);
      const before = await bus.events();
      await bus.restartBroker({ wiped: true });
      await bus.putBack(before.filter(({ source }) => source !== 'retrace/policy'));
      await bus.eventually('intent.authorized');
      expect((await bus.events()).map(placeOf)).toEqual(before.map(placeOf));
      const late = apply(write('free/a'));
      await bus.send(late);
      expect(await bus.answerTo(late.intent_id)).toMatchObject({ type: IntentAuthorized.type });
      expect(await bus.events()).toHaveLength(before.length + 1);
    }, 60_000);

    it('and comes back with nothing, where policy remembers nothing, makes policy forget and begin again', async () => {
      await startWithSession();
      await bus.stop();
      await bus.forgetTail();
      await bus.restartBroker({ wiped: true });
      await bus.start();
      const early = apply(write('free/a'));
      await bus.send(early);
      expect(codes([await bus.answerTo(early.intent_id)])).toEqual(['unknown_workspace']);
      await bus.workspaceIsReady();
      await until('the fold', async () => {
        const again = { ...open, intent_id: newId('int') };
        await bus.send(again);
        return (await bus.answerTo(again.intent_id)).type === SessionOpened.type ? true : undefined;
      });
      const late = apply(write('free/a'));
      await bus.send(late);
      expect(await bus.answerTo(late.intent_id)).toMatchObject({ type: IntentAuthorized.type });
    }, 60_000);
  });

  it('keeps the sessions of agents apart', async () => {
    await startWithSession();
    const foreign = apply(write('free/a'));
    await bus.send(foreign, OPERATOR);
    expect(codes([await bus.answerTo(foreign.intent_id)])).toEqual(['not_your_session']);
    expect((await bus.events('session.opened')).map(({ type }) => type)).toEqual([SessionOpened.type]);
  });
});
