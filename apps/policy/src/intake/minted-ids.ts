import { type Intent, isMintedId, type OperationRequest } from '@retrace/contracts';

interface Named {
  readonly field: string;
  readonly id: string;
}

/**
 * What is wrong with the ids that an intent gives to new things, if anything. They are minted: derived ids name what the
 * services do themselves (parts, the old path of a move, steps and logical operations of rollbacks, time-outs), and anyone
 * can compute them before they are used.
 */
export function problemOfIds(intent: Intent): string | undefined {
  return (
    problemOf(namesOf(intent)) ?? (intent.type === 'operation.apply' ? firstProblem(intent.operations) : undefined)
  );
}

/** The same of one operation; `field`: where it stands. */
export const problemOfOperationId = ({ operation_id }: OperationRequest, field: string): string | undefined =>
  problemOf([{ field: field, id: operation_id }]);

function firstProblem(operations: readonly OperationRequest[]): string | undefined {
  for (const [index, operation] of operations.entries()) {
    const problem = problemOfOperationId(operation, `operations[${index}].operation_id`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(named: readonly Named[]): string | undefined {
  const derived = named.find(({ id }) => !isMintedId(id));
  if (!derived) return undefined;
  const { field, id } = derived;
  const prefix = id.split('_', 1)[0];
  return `${field}: ${id} is a derived id (UUIDv8), which Retrace gives by itself; mint a new one (${prefix}_ and a UUIDv7)`;
}

function namesOf(intent: Intent): Named[] {
  const own = { field: 'intent_id', id: intent.intent_id };
  switch (intent.type) {
    case 'session.open':
      return [own, { field: 'session_id', id: intent.session_id }];
    case 'operation.open':
      return [own, { field: 'logical_operation_id', id: intent.logical_operation_id }];
    case 'session.complete':
    case 'operation.apply':
    case 'operation.commit':
    case 'operation.abort':
    case 'withdraw':
    case 'rollback':
      return [own];
  }
}
