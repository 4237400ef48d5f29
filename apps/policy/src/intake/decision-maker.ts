import { type BlobHash, isOperator, partitionOf, type StoredEvent } from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import { judge } from '@retrace/policy-engine';
import { unavailable } from '../domain/apply-refusals.js';
import { contentsOf } from '../domain/decide-apply.js';
import { decideIntent } from '../domain/decide-intent.js';
import { decideTimeout } from '../domain/decide-open-operation.js';
import { denialEvent, type Refusal } from '../domain/decision-events.js';
import type { Asked, Decision, DecisionEvent, PolicyView, StateView } from '../domain/decision-input.js';
import type { FoldedEvent } from '../domain/fold-event.js';
import type { FoldGate } from '../state/fold-gate.js';
import type { PolicyCatalogue } from '../state/policy-catalogue.js';
import type { PolicyState } from '../state/policy-state.js';
import type { TailGate } from '../state/tail-gate.js';
import type { DecisionPublisher } from './decision-publisher.js';
import type { Content, HeldIntent, Sender } from './held-intent.js';
import { IdClaims } from './id-claims.js';
import type { Ended, Step } from './intent-queue.js';
import type { Questions } from './questions.js';
import { runInSlices } from './run-in-slices.js';

const DONE = { kind: 'done' } as const;
const STOPPED = { kind: 'stopped' } as const;

/** Of looking things up for one attempt. */
const MAX_ROUNDS = 16;

/** The longest that nothing passes an intent of which nobody has looked whether its content is there, in ms. */
const LOOK_MS = 1_000;

/** Questions for content of intents whose turn has not come: more would be in the way of others. */
const MOST_PREPARED = 64;

/** Takes one held intent one step on: decides and publishes, or asks for what is missing. */
export class DecisionMaker {
  private readonly claims: IdClaims;
  private preparing = 0;

  constructor(
    private readonly state: PolicyState,
    private readonly policies: PolicyCatalogue,
    private readonly gate: FoldGate,
    private readonly tails: Pick<TailGate, 'whole'>,
    private readonly questions: Questions,
    private readonly publisher: DecisionPublisher,
    private readonly stop: AbortSignal,
    private readonly onTrouble: (message: string) => void,
  ) {
    this.claims = new IdClaims(state);
  }

  private isAnswered({ sender, request, intentId, attempt }: HeldIntent): boolean {
    if (request.kind === 'timeout') return false;
    return this.state.get('decision', [sender.workspace, sender.principal, intentId, attempt]) !== undefined;
  }

  /** Never rejects: what cannot be decided is denied, so that nothing is tried for ever. */
  async advance(held: HeldIntent): Promise<Step> {
    const step = await this.tryStep(held);
    if (step.kind === 'done' || step.kind === 'stopped') held.release();
    return step;
  }

  private async tryStep(held: HeldIntent): Promise<Step> {
    try {
      return await this.step(held);
    } catch (error) {
      return this.stop.aborted ? STOPPED : this.giveUp(held, error);
    }
  }

  private async step(held: HeldIntent): Promise<Step> {
    this.stop.throwIfAborted();
    const whole = this.tails.whole();
    if (whole !== true && !(await whole))
      return this.conclude(held, denialOf(held, unavailable(held.sender.workspace)));
    await this.gate.open(String(partitionOf(held.sender.workspace)));
    if (this.isAnswered(held)) return DONE;
    const decision = await this.decide(held);
    if (!decision) return DONE;
    switch (decision.kind) {
      case 'decided':
        return this.conclude(held, decision.event);
      case 'need_facts':
        return this.look(held, () => this.questions.facts(held, decision.paths, decision.follow));
      case 'need_trees':
        return this.look(held, () => this.questions.trees(held, decision.reaches));
      case 'need_outcomes':
        return { kind: 'wait', until: this.questions.outcomes(held, decision.logicalOperationId), blockMs: 0 };
      case 'need_operations':
        return { kind: 'wait', until: this.questions.operations(held, decision.blob), blockMs: 0 };
      case 'need_plan':
        return this.wait(held, this.questions.plan(held, decision.planHash));
      case 'need_blobs':
        return this.waitForContent(this.contentOf(held, decision.hashes));
    }
  }

  /** Asks for content as soon as its intent arrives: mostly it is there when the intent is decided. */
  prepare(held: HeldIntent): void {
    const hashes = held.request.kind === 'intent' ? contentsOf(held.request.intent) : [];
    if (hashes.length === 0 || this.preparing >= MOST_PREPARED) return;
    this.preparing++;
    void this.contentOf(held, hashes).here.finally(() => this.preparing--);
  }

  private contentOf(held: HeldIntent, hashes: readonly BlobHash[]): Content {
    return (held.content ??= this.questions.content(held, hashes));
  }

  /** Others pass it where its content is not there, but not because nobody has looked yet. */
  private waitForContent({ isLookedFor, looked, here }: Content): Step {
    return isLookedFor()
      ? { kind: 'wait', until: here, blockMs: 0 }
      : { kind: 'wait', until: looked, blockMs: LOOK_MS };
  }

  private conclude(held: HeldIntent, event: DecisionEvent): Step | Promise<Step> {
    const release = this.claims.take(event);
    // Another took one of its ids while it was decided: now that is known.
    if (!release) return this.step(held);
    return { kind: 'publishing', until: this.concluded(held, event).finally(release) };
  }

  /** Never rejects. */
  private async concluded(held: HeldIntent, event: DecisionEvent): Promise<Ended> {
    try {
      await this.publish(event);
      return DONE;
    } catch (error) {
      return this.stop.aborted ? STOPPED : await this.giveUp(held, error);
    } finally {
      held.release();
    }
  }

  /** What is found may show what else must be looked at, but not without end. */
  private async look(held: HeldIntent, ask: () => Promise<void>): Promise<Step> {
    if (++held.rounds <= MAX_ROUNDS) return this.wait(held, ask());
    return this.conclude(held, denialOf(held, tooManyRounds()));
  }

  private wait(held: HeldIntent, until: Promise<void>): Step {
    return { kind: 'wait', until, blockMs: this.questions.blockMs(held) };
  }

  /** `undefined`: there is nothing left to decide. */
  private async decide(held: HeldIntent): Promise<Decision | undefined> {
    const { request, findings } = held;
    const asked = askedBy(held);
    if (request.kind === 'malformed')
      return { kind: 'decided', event: denialEvent(asked, request.intent, request.refusal) };
    const input = { asked, findings, state: this.viewOf(held.sender) };
    if (request.kind === 'timeout') return decideTimeout({ ...input, intent: request.intent });
    return runInSlices(decideIntent({ ...input, intent: request.intent }));
  }

  private viewOf({ workspace, principal }: Sender): StateView {
    const { state } = this;
    return {
      registered: state.get('workspace', [workspace]) !== undefined,
      member: isOperator(principal) || state.get('member', [workspace, principal]) !== undefined,
      policy: this.policyOf({ workspace, principal }),
      session: (id) => state.get('session', [workspace, id]),
      logicalOperation: (id) => state.get('logical_operation', [workspace, id]),
      spentBy: (id) => this.claims.find(workspace, id),
      newestInflight: (path) => state.newestInflight(workspace, path),
    };
  }

  private policyOf({ workspace, principal }: Sender): PolicyView | undefined {
    const inForce = this.policies.of(workspace);
    if (!inForce) return undefined;
    const { version, policy } = inForce;
    return { version, judge: (actionClass, path) => judge(policy, { agent: principal, class: actionClass, path }) };
  }

  private async publish(event: DecisionEvent): Promise<void> {
    failpoint('decision.before-publish');
    const { sequence, duplicate } = await this.publisher.publish(event);
    failpoint('decision.after-ack');
    // The broker had this id: what stands there is the decision, whatever was decided now.
    if (duplicate) return this.state.folded(String(partitionOf(event.workspace)), sequence, this.stop);
    this.state.published({ ...event, sequence } as StoredEvent as FoldedEvent);
  }

  private async giveUp(held: HeldIntent, error: unknown): Promise<Ended> {
    this.onTrouble(
      `${held.intentId} cannot be decided: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    // It is tried again after a while.
    if (held.request.kind === 'timeout') return DONE;
    const { intent_id, session_id, type, partOf } = held.described;
    const message = 'policy failed on this intent; its log says why. Send a new intent, or report it';
    const event = denialEvent(askedBy(held), { intent_id, session_id, type, partOf }, { code: 'internal', message });
    try {
      await this.publish(event);
    } catch (again) {
      if (this.stop.aborted) return STOPPED;
      this.onTrouble(`${held.intentId} stays without an answer: ${String(again)}`);
    }
    return DONE;
  }
}

const askedBy = (held: HeldIntent): Asked => ({
  ...held.sender,
  inSequence: held.inSequence,
  attempt: held.attempt,
  eventId: held.eventId,
  logicalOperationId: held.logicalOperationId,
  get rollbackId() {
    return held.rollbackId;
  },
  get rollbackLogicalOperationId() {
    return held.rollbackLogicalOperationId;
  },
  part: held.part,
  partId: (asked, path) => deriveId('op', asked, 'part', path),
  causationId: held.causationId,
  time: new Date().toISOString(),
});

const denialOf = (held: HeldIntent, refusal: Refusal): DecisionEvent =>
  denialEvent(askedBy(held), held.described, refusal);

const tooManyRounds = (): Refusal => ({
  code: 'intent_too_large',
  message: `what the operations reach depends on those before them in more than ${MAX_ROUNDS} steps, or changed each time it was looked up; send them as several intents, one after another`,
  retryable: true,
});
