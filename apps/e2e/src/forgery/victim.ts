import type { Words } from '../contract-shapes/examples.js';
import { type Scene, SECRET_HASH, SECRET_REASON } from './scene.js';

export const HIDDEN = 'hidden too: 2718\n';

/** What honest did, by the names under which calls ask for it. */
export interface Victim {
  readonly words: Words;
  /** Ids of honest's work that no answer to anybody else may name of itself. */
  readonly ids: readonly string[];
}

/** Has honest do a bit of everything in secret, and answers what one would have to know to ask for it. */
export async function workInSecret(scene: Scene): Promise<Victim> {
  const { session, honest } = scene;
  const written = await session.write('secret/notes.md', HIDDEN, { reason: SECRET_REASON });
  const edited = await session.edit('secret/plan.md', [{ oldText: '4711', newText: '4712' }], {
    reason: SECRET_REASON,
  });
  const plan = await honest.undoPlan({ by: 'logical_operation', logical_operation_id: written.logicalOperationId });
  const { intentId, sequence } = edited;
  const operation = edited.operations[0]!.operation_id;
  const lops = [edited.logicalOperationId, written.logicalOperationId];
  const paths = ['secret/plan.md', 'secret/notes.md', 'secret', 'drop/box.md'];
  const words = {
    path: paths,
    to: ['public/stolen.md'],
    glob: ['secret/**', '**'],
    id: [...lops, operation, sequence],
    hash: [SECRET_HASH],
    hashes: [[SECRET_HASH]],
    plan_hash: [plan.plan_hash],
    session_id: [session.id],
    operation_id: [operation],
    logical_operation_id: lops,
    intent_id: [intentId],
    agent: ['honest'],
    principal: ['honest'],
    member: ['stranger'],
    since_time: ['2020-01-01T00:00:00Z'],
    since: ['2020-01-01T00:00:00Z'],
    until: ['2100-01-01T00:00:00Z'],
    since_sequence: [1],
    after_sequence: [0],
    before_sequence: [1_000_000],
    at_sequence: [sequence],
    min_sequence: [1],
    limit: [1000],
    length: [4096],
    wait_ms: [0],
    size: [34],
    file: ['/etc/passwd'],
    root: ['/nowhere-at-all'],
    name: ['taken'],
    yaml: ['no policy'],
    after: ['a'],
    class: ['read'],
  };
  return { words, ids: [session.id, operation, ...lops, intentId, plan.plan_hash] };
}
