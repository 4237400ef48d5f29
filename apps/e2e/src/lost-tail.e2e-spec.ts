import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Session } from '@retrace/client';
import { encodeEvent, type EventId, MessageRejected, type Principal, type WorkspaceName } from '@retrace/contracts';
import { jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { Bed, eventually, MODES, RetraceSystem } from '@retrace/testing';
import { BrokerStore } from './lost-tail/broker-store.js';
import { connectAs, type PlainEvent, readLog, replayed } from './lost-tail/plain-log.js';

const run = promisify(execFile);
const REPLAY = fileURLToPath(new URL('../../../tools/replay.mjs', import.meta.url));

jest.setTimeout(120_000);

describe.each(MODES)('a broker that comes back without the end of its log, under %s', (mode) => {
  let system: RetraceSystem;
  let broker: BrokerStore;
  let bed: Bed;
  let session: Session;
  let asItStood: Record<string, string>;
  /** What agents were told: the intent, and the sequence of its outcome. */
  let told: [intent: string, sequence: number][];

  beforeEach(async () => {
    system = new RetraceSystem(mode);
    await system.start();
    broker = new BrokerStore(system);
    bed = await Bed.make(system, 'books', { a: '0', 'd/b': '1', 'd/c': '2', 'many/0': '' });
    asItStood = bed.tree();
    told = [];
    session = await bed.a.openSession({ task: 'before' });
    for (let i = 0; i < 5; i++) await tell(session.write('a', `before ${i}`));
    await broker.keep();
    await workOn();
  }, 120_000);
  afterEach(async () => {
    await bed.close();
    await system.dispose();
  }, 60_000);

  const tell = async (work: Promise<{ intentId: string; sequence: number }>): Promise<void> => {
    const { intentId, sequence } = await work;
    told.push([intentId, sequence]);
  };

  /** What the broker is going to lose: of each kind something. */
  async function workOn(): Promise<void> {
    await Promise.all(Array.from({ length: 20 }, (_, i) => tell(session.write(`many/${i % 7}`, `lost ${i}`))));
    await tell(session.move('d', 'e'));
    await expect(session.write('.git/config', 'x')).rejects.toMatchObject({ code: 'protected_path' });
    const other = await bed.b.openSession({ task: 'lost' });
    await tell(other.write('of-b', 'lost'));
    await tell(other.write('of-b', 'lost again'));
    await tell(bed.undo({ by: 'step', session_id: other.id, step: 2 }));
    await system.must('agent', 'add', 'agent-c', '--workspace', 'books');
    await system.must('policy', 'publish', join(system.folder, 'books.yaml'), '--workspace', 'books');
    const open = await session.begin();
    await open.write('open', 'part');
    await open.abort();
    await bed.operator.catchUp();
  }

  /** Everybody goes on, also with what was only in the lost part, while nothing is said about it. */
  async function goOn(): Promise<void> {
    await tell(session.write('a', 'after'));
    await tell(session.edit('many/3', [{ oldText: 'lost', newText: 'found' }]));
    await tell(bed.undo({ by: 'glob', glob: 'e/**' }));
    const joined = await system.connect('agent-c', 'books');
    const third = await joined.openSession({ task: 'a member that was lost' });
    await tell(third.write('of-c', 'after'));
    await joined.close();
    const fourth = await bed.b.openSession({ task: 'after' });
    await Promise.all(Array.from({ length: 10 }, (_, i) => tell(fourth.write(`many/${i % 7}`, `after ${i}`))));
    await bed.operator.catchUp();
  }

  const idsOf = (events: readonly PlainEvent[]): string[] => events.map(({ id }) => id);

  async function expectOneTruth(): Promise<PlainEvent[]> {
    const log = await readLog(system);
    expect(idsOf(log).length).toBe(new Set(idsOf(log)).size);
    const places = new Map(log.map(({ id }, at) => [id, at]));
    const early = log.filter(({ cause }, at) => (places.get(cause) ?? -1) > at);
    expect(early).toEqual([]);
    const answered = new Set(log.map(({ intent }) => intent));
    expect(told.filter(([intent]) => !answered.has(intent))).toEqual([]);
    expect(bed.tree()).toEqual(replayed(log, asItStood));
    await system.must('status');
    await expectModelsOf(log);
    return log;
  }

  /** The log, folded anew by the tool, comes to the rows that the system has. */
  async function expectModelsOf(log: readonly PlainEvent[]): Promise<void> {
    const env = { ...process.env, NODE_OPTIONS: '', RETRACE_HOME: system.home.folder };
    const replay = async (...args: string[]): Promise<string[]> =>
      (await run(process.execPath, [REPLAY, ...args], { env })).stdout.trim().split('\n');
    const own = join(system.home.data, 'projection', 'read-models.sqlite');
    await eventually(async () => expect((await bed.operator.status()).lag).toBe(0));
    const [sequence, hash] = await replay(join(system.folder, 'replayed.sqlite'));
    expect(sequence).toBe(`sequence ${log.at(-1)!.sequence}`);
    await system.end();
    expect((await replay('--hash', own)).at(-1)).toBe(hash);
  }

  it('has it back as it was, place by place, and goes on', async () => {
    const before = await readLog(system);
    const back = broker.putBack();
    // Sent to a broker that is not there.
    const meanwhile = session.write('meanwhile', 'x');
    await back;
    await tell(meanwhile);
    await goOn();
    const log = await expectOneTruth();
    expect(idsOf(log)).toEqual(expect.arrayContaining(idsOf(before)));
    // What is decided anew waits for policy and execution, not for what rollback says behind all of theirs.
    const settled = before.findLastIndex(({ type }) => !type.startsWith('retrace.rollback.')) + 1;
    expect(idsOf(log).slice(0, settled)).toEqual(idsOf(before).slice(0, settled));
    const bySequence = new Map(log.map((event) => [event.sequence, event.intent]));
    expect(told.filter(([intent, sequence]) => bySequence.get(sequence) !== intent)).toEqual([]);
  });

  it('has all of it back where its places were given to others, and nothing twice', async () => {
    const before = await readLog(system);
    const foreign = [1, 2, 3].map((n) => `evt_01a22f1b-3112-70dc-a154-5f4c4616e8f${n}`);
    await broker.putBack((url) => takePlaces(system, url, foreign));
    await goOn();
    const log = await expectOneTruth();
    expect(idsOf(log)).toEqual(expect.arrayContaining([...foreign, ...idsOf(before)]));
    const moved = before.filter(({ id, sequence }) => log[sequence - 1]?.id !== id);
    expect(moved.length).toBeGreaterThan(20);
  });
});

/** Events that nobody of the system wrote, at the sequences that the broker gives out again. */
async function takePlaces(system: RetraceSystem, url: string, ids: readonly string[]): Promise<void> {
  const connection = await connectAs(system, 'snapshot', url);
  for (const id of ids) {
    const {
      subject,
      headers: values,
      body,
    } = encodeEvent({
      id: id as EventId,
      type: MessageRejected.type,
      source: 'retrace/snapshot',
      time: '2026-01-01T00:00:00.000Z',
      workspace: 'books' as WorkspaceName,
      agent: 'agent-a' as Principal,
      data: {
        service: 'snapshot',
        stream: 'RETRACE',
        sequence: 1,
        subject: 'a.b',
        rejected_event_id: null,
        reason: 'bad_json',
        message: 'of nobody',
      },
    });
    const meta = headers();
    for (const [name, value] of Object.entries(values)) meta.set(name, value);
    await jetstream(connection).publish(subject, body, { headers: meta });
  }
  await connection.close();
}
