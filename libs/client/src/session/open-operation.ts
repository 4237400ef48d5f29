import type { LogicalOperationId } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { IntentDeniedError } from '../errors.js';
import type { ApplyOptions, IntentOptions } from '../intents/intent-options.js';
import { as } from '../intents/intent-sender.js';
import type { Applied, LogicalOperationChanged, UndoReport } from '../intents/settled.js';
import { type OperationInput, present } from '../operations.js';
import { FileChanges } from './file-changes.js';
import type { SessionCore } from './session-core.js';

export interface AbortOptions extends IntentOptions {
  readonly reason?: string | undefined;
}

/**
 * A logical operation that several calls fill. Each is applied when it is decided, so that later ones can build on it;
 * `commit` makes them one whole, `abort` takes all of them back. With `await using`, what was not committed is aborted
 * at the end of the block.
 */
export class OpenOperation extends FileChanges implements AsyncDisposable {
  private end: Promise<unknown> | undefined;

  constructor(
    private readonly core: SessionCore,
    readonly id: LogicalOperationId,
  ) {
    super();
  }

  /** Several operations as one part of it. A part that is denied or fails leaves only `abort`. */
  apply(inputs: readonly OperationInput[], options: ApplyOptions = {}): Promise<Applied> {
    return this.core.apply(inputs, options, this.id);
  }

  /** All that filled it is one whole from here on. Waits for parts in flight. */
  commit(options: IntentOptions = {}): Promise<LogicalOperationChanged> {
    return this.ending(async () => {
      const intent = { ...this.head(options), type: 'operation.commit' as const };
      return as('committed', await this.core.submit(intent, options));
    });
  }

  /** Takes back what was applied. What of it stays, because others changed it since, stands in the report. */
  abort(options: AbortOptions = {}): Promise<UndoReport> {
    return this.ending(async () => {
      const { reason } = options;
      const intent = { ...this.head(options), ...present({ reason }), type: 'operation.abort' as const };
      return as('undo', await this.core.submitAnywhere(intent, options));
    });
  }

  /** Aborts it unless it ended, or may have ended, by itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.end;
    } catch (error) {
      // A commit that was refused leaves it open; whoever called was told.
      if (error instanceof IntentDeniedError) this.end = undefined;
    }
    if (!this.end) await this.abort({ reason: 'not committed' });
  }

  private ending<T>(send: () => Promise<T>): Promise<T> {
    const end = send();
    this.end = end;
    end.catch(() => undefined);
    return end;
  }

  private head({ intentId, traceparent }: IntentOptions) {
    const common = { intent_id: intentId ?? newId('int'), session_id: this.core.id, logical_operation_id: this.id };
    return { ...common, ...present({ traceparent }) };
  }
}
