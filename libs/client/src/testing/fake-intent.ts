import type { AnyEventDefinition, EventData, Intent, Principal, WorkspaceName } from '@retrace/contracts';

/** An intent as the agents' door holds it. */
export interface FakeIntent {
  readonly intent: Intent;
  readonly workspace: WorkspaceName;
  readonly principal: Principal;
  readonly sequence: number;
}

/** Publishes an event as the service that may, and answers its sequence. */
export type Emit = <D extends AnyEventDefinition>(
  definition: D,
  about: Pick<FakeIntent, 'workspace' | 'principal'> & { readonly intent?: Pick<Intent, 'intent_id'> },
  data: EventData<D>,
) => Promise<number>;
