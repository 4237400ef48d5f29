import { describe, expect, it } from '@jest/globals';
import { IntentDenied, type WorkspaceName } from '@retrace/contracts';
import { parsePolicy } from '@retrace/policy-engine';
import type { DecisionEvent } from '../domain/decision-input.js';
import { apply, look, MemoryRows, POLICY, principal, ready, transfer, treesOf } from '../domain/testing.js';
import type { FoldGate } from '../state/fold-gate.js';
import type { PolicyCatalogue } from '../state/policy-catalogue.js';
import type { PolicyState } from '../state/policy-state.js';
import { DecisionMaker } from './decision-maker.js';
import type { DecisionPublisher } from './decision-publisher.js';
import { HeldIntent } from './held-intent.js';
import type { Questions } from './questions.js';

const moved = apply([transfer('move', 'free/a', 'free/b')]);
const arrived = () =>
  HeldIntent.arrived(
    { workspace: 'ws' as WorkspaceName, principal: principal('writer') },
    { kind: 'intent', intent: moved },
    1,
  );

/** Decides with answers that `trees` gives. */
async function decide(held: HeldIntent, trees: () => void): Promise<{ decisions: DecisionEvent[]; rounds: number }> {
  const rows = ready.reduce((before, event) => before.with(event), new MemoryRows());
  const decisions: DecisionEvent[] = [];
  let rounds = 0;
  const maker = new DecisionMaker(
    {
      get: rows.get,
      newestInflight: () => undefined,
      published: () => undefined,
    } satisfies Partial<PolicyState> as unknown as PolicyState,
    { of: () => ({ version: 1, policy: parsePolicy(POLICY) }) } as unknown as PolicyCatalogue,
    { open: () => Promise.resolve() } as unknown as FoldGate,
    {
      trees: () => {
        rounds++;
        trees();
        return Promise.resolve();
      },
      blockMs: () => 0,
    } as unknown as Questions,
    {
      publish: (event: DecisionEvent) => {
        decisions.push(event);
        return Promise.resolve({ sequence: 9, duplicate: false });
      },
    } as unknown as DecisionPublisher,
    new AbortController().signal,
    (message) => {
      throw new Error(message);
    },
  );
  for (;;) {
    const step = await maker.advance(held);
    if (step.kind === 'wait') await step.until;
    else return { decisions, rounds };
  }
}

describe('looking things up for a decision', () => {
  it('ends where each answer only shows what else must be looked at', async () => {
    const { decisions, rounds } = await decide(arrived(), () => undefined);
    expect(rounds).toBe(16);
    expect(decisions).toMatchObject([
      {
        type: IntentDenied.type,
        data: { code: 'intent_too_large', message: expect.stringContaining('more than 16 steps') },
      },
    ]);
  });

  it('goes on with what was found', async () => {
    const held = arrived();
    const { decisions, rounds } = await decide(held, () => held.learn(treesOf(look('free/a'), look('free/b'))));
    expect([rounds, decisions.length, decisions[0]?.type]).toEqual([1, 1, 'retrace.intent.authorized.v1']);
  });
});
