import { beforeEach, describe, expect, it } from '@jest/globals';
import { intentSubject, type WorkspaceName } from '@retrace/contracts';
import { apply, authorized, id, MemoryRows, operation, principal, ready, wentStale } from '../domain/testing.js';
import type { HeldIntent } from './held-intent.js';
import { Intake, type IntakeLimits } from './intake.js';
import type { Step } from './intent-queue.js';
import { Watermark } from './watermark.js';

const WS = 'ws' as WorkspaceName;
const NEVER: Step = { kind: 'wait', until: new Promise(() => undefined), blockMs: 0 };
const write = operation('write', 'free/a');
const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the intake', () => {
  let rows: MemoryRows;
  let watermark: Watermark;
  let steps: string[];
  /** What comes of a step. */
  let advance: (held: HeldIntent) => Promise<Step>;

  beforeEach(() => {
    rows = new MemoryRows();
    watermark = new Watermark();
    steps = [];
    advance = () => Promise.resolve({ kind: 'done' });
  });

  const intakeWith = (limits: Partial<IntakeLimits> = {}): Intake => {
    const maker = {
      advance: (held: HeldIntent) => {
        const { request, sender, intentId, attempt } = held;
        const refused = request.kind === 'malformed' ? ` ${request.refusal.code}` : '';
        steps.push(`${sender.principal} ${Number(intentId.slice(-4))}/${attempt}${refused}`);
        return advance(held);
      },
      prepare: () => undefined,
    };
    const table = { get: ((name, key) => rows.get(name, key)) as MemoryRows['get'] };
    const door = { answered: () => undefined };
    const all = { maxHeld: 5_000, maxHeldEach: 512, ...limits };
    return new Intake(maker, table, { redact: (text) => text }, watermark, door, all);
  };
  const take = (intake: Intake, number: number, sequence = number, by = 'writer'): Promise<void> => {
    const body = Buffer.from(JSON.stringify(apply([write], { intent_id: id<never>('int', number) })));
    const message = { subject: intentSubject(WS, principal(by)), body, sequence };
    return intake.take(message, new AbortController().signal);
  };
  /** The log has a decision of an intent, and that execution sent it back. */
  const sendBack = (number: number) => {
    for (const event of [...ready, authorized(number, [write]), wentStale(number, 'moved')]) rows = rows.with(event);
    return rows.get('stale', ['ws', 'writer', id('int', number)])!;
  };

  it('decides again what went stale while the first attempt was still held', async () => {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    advance = () => gate.then(() => ({ kind: 'done' }));
    const intake = intakeWith();
    await take(intake, 1);
    intake.redecide(WS, sendBack(1));
    open();
    await intake.settled();
    expect(steps).toEqual(['writer 1/1', 'writer 1/2']);
  });

  it('answers a message that is read again while a later attempt is held', async () => {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    advance = () => gate.then(() => ({ kind: 'done' }));
    const intake = intakeWith();
    intake.redecide(WS, sendBack(1));
    await take(intake, 1);
    await take(intake, 2);
    expect(watermark.low()).toBe(0);
    open();
    rows = new MemoryRows();
    await intake.settled();
    expect(watermark.low()).toBe(2);
  });

  it('takes what is sent again for what the door lost, in its place and before what is new', async () => {
    const gates: (() => void)[] = [];
    const opened = (): Promise<Step> => new Promise((resolve) => gates.push(() => resolve({ kind: 'done' })));
    advance = opened;
    const intake = intakeWith();
    for (const number of [1, 2, 3]) await take(intake, number, 200 + number);
    watermark.forgetLast();
    intake.lost();
    for (const number of [1, 2, 3]) await take(intake, number, 100 + number);
    await take(intake, 2, 104);
    await take(intake, 4, 105);
    expect(watermark.low()).toBe(100);
    for (const done of [1, 2, 3, 4]) {
      await moment();
      gates[done - 1]!();
    }
    await intake.settled();
    expect(steps).toEqual([1, 2, 3, 4].map((number) => `writer ${number}/1`));
    expect(watermark.low()).toBe(105);
  });

  it('refuses what one principal sends beyond its share of a full door, and takes in the others', async () => {
    advance = ({ request }) => Promise.resolve(request.kind === 'malformed' ? { kind: 'done' } : NEVER);
    const intake = intakeWith({ maxHeld: 6, maxHeldEach: 2 });
    for (let number = 1; number <= 6; number += 1) await take(intake, number);
    await take(intake, 7, 7, 'other');
    await moment();
    expect(steps).toEqual(['writer 1/1', ...[3, 4, 5, 6].map((number) => `writer ${number}/1 busy`), 'other 7/1']);
  });
});
