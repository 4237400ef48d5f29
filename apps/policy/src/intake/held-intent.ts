import type { EventId, IntentId, LogicalOperationId, Principal, RollbackId, WorkspaceName } from '@retrace/contracts';
import { deriveId, newId } from '@retrace/event-log';
import type { DecidableIntent, Findings } from '../domain/decision-input.js';
import { describeIntent, type RefusedIntent, type Refusal } from '../domain/decision-events.js';
import type { StaleRow } from '../domain/rows.js';
import { type Touches, touchesOf } from '../domain/touches.js';

/** What is to be answered: an intent, or one that could be read only so far as to refuse it. */
export type HeldRequest =
  | { readonly kind: 'intent'; readonly intent: DecidableIntent }
  | { readonly kind: 'malformed'; readonly intent: RefusedIntent; readonly refusal: Refusal };

export interface Sender {
  readonly workspace: WorkspaceName;
  readonly principal: Principal;
}

/** An attempt that is not decided yet, with the answers collected for it. */
export class HeldIntent {
  readonly eventId: EventId;
  readonly rollbackId: RollbackId = newId('rbk');
  /** On a monotonic clock, in ms. */
  readonly arrivedAt = performance.now();
  /** When execution or rollback was asked first. */
  askedAt: number | undefined;
  /** Answers asked for so far. */
  questions = 0;
  /** Its message stands in `RETRACE_IN` and has no answer yet. */
  messageOpen: boolean;
  private readonly withdrawal = new AbortController();
  private found: Findings;

  private constructor(
    readonly sender: Sender,
    readonly request: HeldRequest,
    /** Its place in `RETRACE_IN`. */
    readonly inSequence: number,
    readonly attempt: number,
    readonly logicalOperationId: LogicalOperationId,
    readonly causationId: string,
    follow: boolean,
  ) {
    const { workspace, principal } = sender;
    this.eventId = deriveId('evt', workspace, principal, this.intentId, attempt, 'decision');
    this.found = { withdrawn: false, follow };
    // The message of a later attempt was answered by its first decision.
    this.messageOpen = attempt === 1;
  }

  static arrived(sender: Sender, request: HeldRequest, inSequence: number): HeldIntent {
    return new HeldIntent(sender, request, inSequence, 1, newId('lop'), request.intent.intent_id, false);
  }

  /** Takes up an intent that execution sent back: the kept copy of it, decided once more. */
  static sentBack(workspace: WorkspaceName, row: StaleRow): HeldIntent {
    const { intent_id, session_id, tool, reason, provenance, operations, in_sequence, logical_operation_id } =
      row.authorized;
    const intent: DecidableIntent = {
      type: 'operation.apply',
      intent_id,
      session_id,
      provenance,
      operations: operations.map(({ request }) => request),
      ...(tool !== null && { tool }),
      ...(reason !== null && { reason }),
      ...(row.traceparent !== null && { traceparent: row.traceparent }),
    };
    const sender = { workspace, principal: row.agent };
    const request: HeldRequest = { kind: 'intent', intent };
    const { attempt, follow, stale_event_id } = row;
    return new HeldIntent(sender, request, in_sequence, attempt, logical_operation_id, stale_event_id, follow);
  }

  /** The same attempt, to be refused without a look at it. */
  refused(refusal: Refusal): HeldIntent {
    const { sender, inSequence, attempt, logicalOperationId, causationId } = this;
    const intent = this.request.kind === 'intent' ? describeIntent(this.request.intent) : this.request.intent;
    const request: HeldRequest = { kind: 'malformed', intent, refusal };
    const held = new HeldIntent(sender, request, inSequence, attempt, logicalOperationId, causationId, false);
    held.messageOpen = this.messageOpen;
    return held;
  }

  get intentId(): IntentId {
    return this.request.intent.intent_id;
  }

  get touches(): Touches {
    const { request, found } = this;
    // What will only be refused waits for nobody.
    return request.kind === 'malformed' || found.withdrawn ? { kind: 'nothing' } : touchesOf(request.intent);
  }

  get findings(): Findings {
    return this.found;
  }

  /** Aborted when the intent is withdrawn: waiting for it ends. */
  get signal(): AbortSignal {
    return this.withdrawal.signal;
  }

  learn(findings: Partial<Findings>): void {
    this.found = { ...this.found, ...findings };
  }

  withdraw(): void {
    this.learn({ withdrawn: true });
    this.withdrawal.abort();
  }
}
