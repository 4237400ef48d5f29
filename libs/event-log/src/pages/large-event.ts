import { type EventEnvelope, PrincipalSchema, RollbackCompleted, WorkspaceNameSchema } from '@retrace/contracts';
import { newId } from '../new-id.js';

/** For specs: an event whose array has `count` elements of about a kilobyte each. */
export const aLargeEvent = (count: number, workspace = 'notes'): EventEnvelope<typeof RollbackCompleted> => ({
  id: newId('evt'),
  type: RollbackCompleted.type,
  source: 'retrace/rollback',
  time: '2026-01-01T00:00:00.000Z',
  workspace: WorkspaceNameSchema.parse(workspace),
  agent: PrincipalSchema.parse('writer'),
  data: RollbackCompleted.data.parse({
    rollback_id: newId('rbk'),
    logical_operation_id: newId('lop'),
    intent_id: newId('int'),
    plan_hash: 'ab'.repeat(32),
    outcome: 'undone',
    undone: [],
    restored: Array.from({ length: count }, (_, i) => aPath(i)),
    merged: [],
    forced: [],
    left_out: [],
    failures: [],
  }),
});

const aPath = (i: number): string => `${'é/'.repeat(330)}${i}`;
