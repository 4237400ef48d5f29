import { IntentAuthorized, type OperationId } from '@retrace/contracts';
import type { DecisionEvent } from '../domain/decision-input.js';
import type { OperationRow, RowReader } from '../domain/rows.js';

const NOTHING = (): void => undefined;

/**
 * Operation ids of decisions that are on their way to the log: principals are decided at once, and two of them must not
 * get the same id in the time that this takes.
 */
export class IdClaims {
  private readonly claimed = new Map<string, OperationRow>();

  constructor(private readonly rows: RowReader) {}

  /** Whose intent has the id, or will have it in a moment. */
  find(workspace: string, id: OperationId): OperationRow | undefined {
    return this.rows.get('operation', [workspace, id]) ?? this.claimed.get(keyOf(workspace, id));
  }

  /** Claims the ids of a decision until the answered function is called; `undefined`: somebody else has one of them. */
  take(event: DecisionEvent): (() => void) | undefined {
    if (event.type !== IntentAuthorized.type || !('operations' in event.data)) return NOTHING;
    const { workspace, agent, data } = event;
    const ids = data.operations.map(({ request }) => request.operation_id);
    const foreign = ids.some((id) => {
      const by = this.find(workspace, id);
      return by !== undefined && (by.agent !== agent || by.intent_id !== data.intent_id);
    });
    if (foreign) return undefined;
    for (const id of ids) this.claimed.set(keyOf(workspace, id), { agent, intent_id: data.intent_id });
    return () => {
      for (const id of ids) this.claimed.delete(keyOf(workspace, id));
    };
  }
}

const keyOf = (workspace: string, id: OperationId): string => `${workspace} ${id}`;
