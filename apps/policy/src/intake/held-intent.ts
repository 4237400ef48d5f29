import type {
  AbortOperationIntent,
  EventId,
  IntentId,
  LogicalOperationId,
  Principal,
  RollbackId,
  WorkspaceName,
} from '@retrace/contracts';
import { deriveId, newId } from '@retrace/event-log';
import type { DecidableIntent, Findings } from '../domain/decision-input.js';
import { describeIntent, type RefusedIntent, type Refusal } from '../domain/decision-events.js';
import type { OpenedRow, StaleRow } from '../domain/rows.js';
import { type Touches, touchesOf } from '../domain/touches.js';
import { Ending } from './ending.js';

/** What is to be answered: an intent, or one that could be read only so far as to refuse it. */
export type HeldRequest =
  | { readonly kind: 'intent'; readonly intent: DecidableIntent }
  | { readonly kind: 'malformed'; readonly intent: RefusedIntent; readonly refusal: Refusal }
  /** Nobody asked: an open logical operation is over its time. */
  | { readonly kind: 'timeout'; readonly intent: AbortOperationIntent };

export interface Sender {
  readonly workspace: WorkspaceName;
  readonly principal: Principal;
}

/** The question for the content that an intent names. */
export interface Content {
  readonly isLookedFor: () => boolean;
  /** Resolves once it was looked whether it is there. */
  readonly looked: Promise<void>;
  /** Resolves once it is there, or is waited for no more. */
  readonly here: Promise<void>;
}

interface About {
  readonly sender: Sender;
  readonly request: HeldRequest;
  /** Its place in `RETRACE_IN`; 0: it stands nowhere. */
  readonly inSequence: number;
  readonly attempt: number;
  readonly logicalOperationId: LogicalOperationId;
  readonly causationId: string;
  readonly follow?: boolean;
  /** Which part of its logical operation it was at its first attempt. */
  readonly part?: number;
}

const NOTHING: Touches = { kind: 'nothing' };

/** An attempt that is not decided yet, with the answers collected for it. */
export class HeldIntent {
  readonly sender: Sender;
  readonly request: HeldRequest;
  /** Another one where the stream lost its message, and it was sent again. */
  inSequence: number;
  readonly attempt: number;
  readonly logicalOperationId: LogicalOperationId;
  readonly causationId: string;
  readonly part: number | undefined;
  readonly eventId: EventId;
  /** On a monotonic clock, in ms. */
  readonly arrivedAt = performance.now();
  /** When execution or rollback was asked first. */
  askedAt: number | undefined;
  /** How often something was looked up for it. */
  rounds = 0;
  /** Its message stands in `RETRACE_IN` and has no answer yet. */
  messageOpen: boolean;
  /** Gives back what it takes room in while it is held. */
  giveBack: (() => void) | undefined;
  /** Asked for as soon as it arrived. */
  content: Content | undefined;
  /** Over when the intent is withdrawn: waiting for it ends. */
  readonly withdrawal = new Ending();
  private found: Findings;
  private touched: { readonly by: Findings['operations']; readonly touches: Touches } | undefined;

  private constructor(private readonly about: About) {
    const { sender, request, inSequence, attempt, logicalOperationId, causationId, follow = false, part } = about;
    this.sender = sender;
    this.request = request;
    this.inSequence = inSequence;
    this.attempt = attempt;
    this.logicalOperationId = logicalOperationId;
    this.causationId = causationId;
    this.part = part;
    // What is derived is the same whoever decides it again after a crash: a double of it is harmless.
    const named = request.kind === 'timeout' ? this.named : [...this.named, attempt, 'decision'];
    this.eventId = deriveId('evt', sender.workspace, ...named);
    this.found = { withdrawn: false, follow };
    // The message of a later attempt was answered by its first decision.
    this.messageOpen = attempt === 1 && inSequence > 0;
  }

  static arrived(sender: Sender, request: HeldRequest, inSequence: number): HeldIntent {
    const causationId = request.intent.intent_id;
    return new HeldIntent({ sender, request, inSequence, attempt: 1, logicalOperationId: newId('lop'), causationId });
  }

  /** An open logical operation is over its time: it is aborted as if its own agent had asked. */
  static timedOut(workspace: WorkspaceName, id: LogicalOperationId, { agent, session_id }: OpenedRow): HeldIntent {
    const intent_id = deriveId('int', workspace, id, 'timeout');
    const intent: AbortOperationIntent = { type: 'operation.abort', intent_id, session_id, logical_operation_id: id };
    return new HeldIntent({
      sender: { workspace, principal: agent },
      request: { kind: 'timeout', intent },
      inSequence: 0,
      attempt: 1,
      logicalOperationId: id,
      causationId: intent_id,
    });
  }

  /** Takes up an intent that execution sent back: the kept copy of it, decided once more. */
  static sentBack(workspace: WorkspaceName, row: StaleRow): HeldIntent {
    const { intent_id, session_id, tool, reason, provenance, in_sequence, logical_operation_id, open, part } =
      row.authorized;
    const intent: DecidableIntent = {
      type: 'operation.apply',
      intent_id,
      session_id,
      provenance,
      operations: [...row.requests],
      ...(open && { logical_operation_id }),
      ...(tool !== null && { tool }),
      ...(reason !== null && { reason }),
      ...(row.traceparent !== null && { traceparent: row.traceparent }),
    };
    return new HeldIntent({
      sender: { workspace, principal: row.agent },
      request: { kind: 'intent', intent },
      inSequence: in_sequence,
      attempt: row.attempt,
      logicalOperationId: logical_operation_id,
      causationId: row.stale_event_id,
      follow: row.follow,
      ...(open && { part }),
    });
  }

  /** The same attempt, to be refused without a look at it. */
  refused(refusal: Refusal): HeldIntent {
    this.release();
    const intent = this.described;
    const request: HeldRequest = { kind: 'malformed', intent, refusal };
    const held = new HeldIntent({ ...this.about, inSequence: this.inSequence, request, follow: false });
    held.messageOpen = this.messageOpen;
    return held;
  }

  /** What a refusal says of it. */
  get described(): RefusedIntent {
    return this.request.kind === 'malformed' ? this.request.intent : describeIntent(this.request.intent);
  }

  get rollbackId(): RollbackId {
    return deriveId('rbk', this.sender.workspace, ...this.named);
  }

  get rollbackLogicalOperationId(): LogicalOperationId {
    return deriveId('lop', this.sender.workspace, ...this.named, 'rollback');
  }

  /** What ids of its own are derived from. */
  private get named(): string[] {
    const { request, sender } = this;
    return request.kind === 'timeout'
      ? [request.intent.logical_operation_id, 'timeout']
      : [sender.principal, this.intentId];
  }

  /** Names it among all that is held. */
  get key(): string {
    const { workspace, principal } = this.sender;
    // An intent id is chosen by its sender, who must not be able to stand in a time-out's place.
    return this.request.kind === 'timeout' ? `timeout ${this.eventId}` : keyOf({ workspace, principal }, this.intentId);
  }

  get intentId(): IntentId {
    return this.request.intent.intent_id;
  }

  get touches(): Touches {
    const { request, found } = this;
    // What will only be refused waits for nobody; a time-out lets the parts pass whose outcomes it waits for.
    if (request.kind !== 'intent' || found.withdrawn) return NOTHING;
    const by = found.operations;
    if (!this.touched || this.touched.by !== by)
      this.touched = { by, touches: touchesOf(request.intent, by?.kind === 'read' ? by.operations : undefined) };
    return this.touched.touches;
  }

  get findings(): Findings {
    return this.found;
  }

  learn(findings: Partial<Findings>): void {
    this.found = { ...this.found, ...findings };
  }

  /** What was found for it is not needed any more. */
  release(): void {
    this.giveBack?.();
    this.giveBack = undefined;
  }

  withdraw(): void {
    this.learn({ withdrawn: true });
    this.withdrawal.end();
  }
}

export const keyOf = ({ workspace, principal }: Sender, intentId: string): string =>
  `${workspace} ${principal} ${intentId}`;
