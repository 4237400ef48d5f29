import type { Intent, LogicalOperationId, SessionId } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { ContentStore } from '../content/content-store.js';
import type { ApplyOptions, IntentOptions } from '../intents/intent-options.js';
import { as, type IntentSender } from '../intents/intent-sender.js';
import type { Applied, Settled } from '../intents/settled.js';
import type { Change, SessionMemory } from '../memory/session-memory.js';
import { untilKnown } from '../memory/until-known.js';
import { draftOperation, type OperationInput, present } from '../operations.js';
import type { CallOrder } from './call-order.js';
import { type Asked, prepareApply, readyApply } from './prepare-apply.js';

/** Sends what a session asks for: in the order of the calls, with what the session expects at each path. */
export class SessionCore {
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    readonly id: SessionId,
    readonly sender: IntentSender,
    readonly memory: SessionMemory,
    private readonly store: ContentStore,
    private readonly order: CallOrder,
  ) {}

  /** `part_of`: the open logical operation that it fills. */
  async apply(
    inputs: readonly OperationInput[],
    options: ApplyOptions,
    part_of?: LogicalOperationId,
  ): Promise<Applied> {
    const { reason, tool, provenance, traceparent, intentId, signal } = options;
    const drafts = inputs.map(draftOperation);
    const head = {
      type: 'operation.apply' as const,
      intent_id: intentId ?? newId('int'),
      session_id: this.id,
      ...present({ logical_operation_id: part_of, reason, tool, provenance, traceparent }),
    };
    const change = this.memory.begin(drafts.map(({ touch }) => touch));
    const asked = { head, drafts, expected: change.expected, signal };
    return as('applied', await this.until(change, () => this.send(asked, options)));
  }

  /** Sends an intent that names no content, after the calls before it. */
  submit(intent: Intent, options: IntentOptions): Promise<Settled> {
    return this.order.run(undefined, () => this.sender.submit(intent, options));
  }

  /** One that may reach any path of the session. */
  submitAnywhere(intent: Intent, options: IntentOptions): Promise<Settled> {
    return this.until(this.memory.beginAnywhere(), () => this.submit(intent, options));
  }

  /** Resolves when the calls so far have ended, well or not. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private send(asked: Asked, options: IntentOptions): Promise<Settled> {
    const ready = readyApply(asked);
    const prepare = ready ? undefined : () => prepareApply(asked, this.store);
    return this.order.run(prepare, (prepared) => {
      const { intent, contents } = ready ?? prepared!;
      const upload = () => this.store.uploadAll(contents);
      return this.sender.submit(intent, options, upload);
    });
  }

  private async until(change: Change, send: () => Promise<Settled>): Promise<Settled> {
    const end = untilKnown(change, this.sender, send);
    const over: Promise<unknown> = end.then(
      () => this.underWay.delete(over),
      () => this.underWay.delete(over),
    );
    this.underWay.add(over);
    return end;
  }
}
