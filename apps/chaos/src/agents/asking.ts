import { setTimeout as sleep } from 'node:timers/promises';
import {
  IntentDeniedError,
  type IntentEnd,
  IntentNotSent,
  OperationFailedError,
  OutcomeUnknown,
  type Settled,
  UploadFailedError,
} from '@retrace/client';
import type { IntentId, SessionId } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { Journal } from './journal.js';

/** What is asked for, as the checker reads it. */
export interface AskedOperation {
  readonly action: string;
  readonly path: string;
  readonly to?: string;
  readonly hash?: string;
  readonly text?: string;
  readonly old?: string;
  readonly new?: string;
  readonly mode?: number;
  readonly target?: string;
}

export interface Asked {
  readonly kind: 'apply' | 'open' | 'commit' | 'abort' | 'rollback' | 'session.open' | 'session.complete';
  readonly session?: SessionId;
  readonly operations?: readonly AskedOperation[];
}

/** How an intent ended; what was begun (a session, an open logical operation) is handed out without its place in the log. */
export type Heard = Settled | { readonly kind: 'begun' };

const PAUSE_MS = 300;
/** An agent that still does not know after so many tries gives up, which the checker tells. */
const TRIES = 40;

/** Asks, writes down what it asks before and what it is told after, and asks the same again until it is told. */
export class Asking {
  private count = 0;

  constructor(
    private readonly agent: string,
    private readonly journal: Journal,
  ) {}

  /** Answers how it ended well; `undefined` where it did not. `send` is called before this returns, so that calls keep their order. */
  ask<S extends Heard>(asked: Asked, send: (intentId: IntentId) => Promise<S>): Promise<S | undefined> {
    const intent = newId('int');
    this.journal.note({ at: 'asked', n: (this.count += 1), agent: this.agent, intent, ...asked });
    return this.untilTold(intent, send);
  }

  private async untilTold<S extends Heard>(
    intent: IntentId,
    send: (intentId: IntentId) => Promise<S>,
  ): Promise<S | undefined> {
    for (let tries = 1, doubt = false; tries <= TRIES; tries += 1) {
      try {
        const settled = await send(intent);
        this.journal.note({ at: 'told', intent, ...told(settled) });
        return settled;
      } catch (error) {
        if (error instanceof IntentDeniedError || error instanceof OperationFailedError) {
          this.journal.note({ at: 'told', intent, ...told(error) });
          return undefined;
        }
        doubt = this.inDoubt(intent, error, doubt);
        if (!doubt) return undefined;
      }
      await sleep(PAUSE_MS);
    }
    return undefined;
  }

  /** Whether it may have been taken in, now or before. Throws what should not happen. */
  private inDoubt(intent: IntentId, error: unknown, before: boolean): boolean {
    if (error instanceof IntentNotSent) {
      this.journal.note({ at: 'not-sent', intent, code: error.code });
      return before;
    }
    if (!(error instanceof OutcomeUnknown || error instanceof UploadFailedError)) throw error;
    this.journal.note({ at: 'unknown', intent, why: error.message });
    return true;
  }
}

function told(end: IntentEnd | Heard): Record<string, unknown> {
  if ('kind' in end && end.kind === 'begun') return { as: 'opened' };
  const { sequence } = end;
  if (end instanceof IntentDeniedError) return { as: 'denied', sequence, code: end.code, message: end.message };
  if (end instanceof OperationFailedError) return { as: 'failed', sequence, code: end.code, message: end.message };
  switch (end.kind) {
    case 'applied': {
      const operations = end.operations.map(({ operation_id }) => operation_id);
      const whole = operations.length === end.operationCount;
      return { as: 'applied', sequence, lop: end.logicalOperationId, ...(whole && { operations }) };
    }
    case 'session':
      return { as: end.status === 'active' ? 'opened' : 'completed', sequence };
    case 'undo':
      return { as: 'undone', sequence, lop: end.logicalOperationId, outcome: end.outcome };
    case 'opened':
    case 'committed':
      return { as: end.kind, sequence, lop: end.logicalOperationId };
  }
}
