import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  IntentAuthorized,
  IntentDenied,
  MemberAdded,
  type OperationRequest,
  type WorkspaceName,
} from '@retrace/contracts';
import { parsePolicy } from '@retrace/policy-engine';
import type { DecisionEvent } from '../domain/decision-input.js';
import type { FoldedEvent } from '../domain/fold-event.js';
import {
  apply,
  id,
  look,
  MemoryRows,
  opened,
  operation,
  POLICY,
  principal,
  ready,
  stored,
  transfer,
  treesOf,
} from '../domain/testing.js';
import type { FoldGate } from '../state/fold-gate.js';
import type { PolicyCatalogue } from '../state/policy-catalogue.js';
import type { PolicyState } from '../state/policy-state.js';
import { DecisionMaker } from './decision-maker.js';
import type { DecisionPublisher } from './decision-publisher.js';
import { HeldIntent } from './held-intent.js';
import type { Questions } from './questions.js';

const reviewer = stored(MemberAdded, { member: principal('reviewer'), added_by: principal('_op-me') });
const arrived = (operations: readonly OperationRequest[], by = 'writer', session = 1) =>
  HeldIntent.arrived(
    { workspace: 'ws' as WorkspaceName, principal: principal(by) },
    { kind: 'intent', intent: apply(operations, { session_id: id<never>('ses', session) }) },
    1,
  );
const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('making decisions', () => {
  let rows: MemoryRows;
  let published: DecisionEvent[];
  /** What is found, and how long the log takes. */
  let find: () => void;
  let logAnswers: Promise<void>;
  let maker: DecisionMaker;
  let whole: true | Promise<boolean>;
  let rounds: number;

  beforeEach(() => {
    rows = [...ready, reviewer, opened(2, 'reviewer')].reduce((before, event) => before.with(event), new MemoryRows());
    published = [];
    find = () => undefined;
    logAnswers = Promise.resolve();
    rounds = 0;
    const state = {
      get: ((table, key) => rows.get(table, key)) as MemoryRows['get'],
      newestInflight: () => undefined,
      published: (event: FoldedEvent) => {
        rows = rows.with(event);
      },
    };
    whole = true;
    const questions = {
      trees: () => {
        rounds++;
        find();
        return Promise.resolve();
      },
      blockMs: () => 0,
    };
    const publish = async (event: DecisionEvent) => {
      published.push(event);
      await logAnswers;
      return { sequence: 1000 + published.length, duplicate: false };
    };
    maker = new DecisionMaker(
      state as unknown as PolicyState,
      { of: () => ({ version: 1, policy: parsePolicy(POLICY) }) } as unknown as PolicyCatalogue,
      { open: () => Promise.resolve() } as unknown as FoldGate,
      { whole: () => whole },
      questions as unknown as Questions,
      { publish } as unknown as DecisionPublisher,
      new AbortController().signal,
      (message) => {
        throw new Error(message);
      },
    );
  });

  async function decide(held: HeldIntent): Promise<void> {
    for (;;) {
      const step = await maker.advance(held);
      if (step.kind === 'wait' || step.kind === 'publishing') await step.until;
      if (step.kind !== 'wait') return;
    }
  }

  it('is a denial where execution does not say that it has put back its tail of the log', async () => {
    whole = Promise.resolve(false);
    await decide(arrived([transfer('move', 'free/a', 'free/b')]));
    expect(published).toMatchObject([{ data: { code: 'workspace_unavailable', retryable: true } }]);
    expect(rounds).toBe(0);
  });

  it('ends where each look only shows what else must be looked at', async () => {
    await decide(arrived([transfer('move', 'free/a', 'free/b')]));
    expect(rounds).toBe(16);
    expect(published).toMatchObject([
      {
        type: IntentDenied.type,
        data: { code: 'intent_too_large', message: expect.stringContaining('more than 16 steps') },
      },
    ]);
  });

  it('goes on with what was found', async () => {
    const held = arrived([transfer('move', 'free/a', 'free/b')]);
    find = () => held.learn(treesOf(look('free/a'), look('free/b')));
    await decide(held);
    expect([rounds, published.map(({ type }) => type)]).toEqual([1, [IntentAuthorized.type]]);
  });

  it('gives no operation id to two principals that ask for it at the same time', async () => {
    let answer!: () => void;
    logAnswers = new Promise((resolve) => {
      answer = resolve;
    });
    const make = (path: string, by: string, session: number) =>
      decide(arrived([operation('mkdir', path, 1)], by, session));
    const both = [make('free/a', 'writer', 1), make('free/b', 'reviewer', 2)];
    while (published.length < 2) await moment();
    answer();
    await Promise.all(both);
    // Which of them is looked at in one go is a matter of how busy the machine is.
    expect(published).toMatchObject([
      { type: IntentAuthorized.type },
      { type: IntentDenied.type, data: { code: 'duplicate_operation_id' } },
    ]);
    expect(new Set(published.map(({ agent }) => agent))).toEqual(new Set(['writer', 'reviewer']));
  });
});
