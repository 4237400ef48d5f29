import { ABSENT, type StoredEvent, type WorkspaceName, WorkspaceNameSchema } from '@retrace/contracts';
import * as fc from 'fast-check';
import * as given from './events.js';
import { ann, type At, bob } from './stored.js';

/** Two workspaces of different partitions. */
const WORKSPACES = ['shop', 'garden'].map((name) => WorkspaceNameSchema.parse(name));

interface Step {
  readonly workspace: WorkspaceName;
  readonly agent: typeof ann;
  readonly kind: keyof typeof EVENTS;
  readonly path: string;
  /** Which of the earlier operations is meant, or the number of a session or policy. */
  readonly back: number;
}

/** Events of one step. `n` numbers what it makes; `target` is the operation that an undo takes back. */
type Make = (step: Step, n: number, at: (more: number) => At, target: number) => StoredEvent[];

const op = ({ path }: Step, n: number) => ({ n, path, to: given.file(n) });

const EVENTS = {
  apply: (step, n, at) => [given.authorized(n, [op(step, n)], at(0)), given.applied(n, [op(step, n)], at(1))],
  undo: ({ path }, n, at, target) => {
    const undo = { n, path, to: ABSENT, compensates: [target] };
    return [
      given.rollbackAuthorized(n, at(0)),
      given.stepRequested(n, 1, [undo], at(1)),
      given.applied(n, [undo], at(2), given.asRollback(n)),
      given.rollbackCompleted(n, at(3)),
    ];
  },
  fail: (step, n, at) => [given.authorized(n, [op(step, n)], at(0)), given.failed(n, at(1))],
  stale: (step, n, at) => [given.authorized(n, [op(step, n)], at(0)), given.stale(n, at(1))],
  deny: (_step, n, at) => [given.denied(n, at(0))],
  open: ({ back }, _n, at) => [given.sessionOpened(back, at(0))],
  complete: ({ back }, _n, at) => [given.sessionCompleted(back, at(0))],
  policy: ({ back }, _n, at) => [given.policyPublished(back, at(0))],
  reject: (_step, _n, at) => [given.rejected(at(0))],
} satisfies Record<string, Make>;

const KINDS = [...(Object.keys(EVENTS) as (keyof typeof EVENTS)[]), 'apply', 'undo', 'undo', 'undo'] as const;

/** Histories as a log would hold them: sequences ascend over all workspaces, compensations name earlier operations. */
export const HistoryArbitrary: fc.Arbitrary<StoredEvent[]> = fc
  .array(
    fc.record({
      workspace: fc.constantFrom(...WORKSPACES),
      agent: fc.constantFrom(ann, bob),
      kind: fc.constantFrom(...KINDS),
      path: fc.constantFrom('a', 'a/b', 'a0', 'c'),
      back: fc.integer({ min: 1, max: 8 }),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map(historyOf);

function historyOf(steps: readonly Step[]): StoredEvent[] {
  const events: StoredEvent[] = [];
  const operations = new Map<WorkspaceName, number[]>();
  for (const step of steps) {
    const n = events.length + 1;
    const mine = operations.get(step.workspace) ?? [];
    const target = mine.at(-1 - (step.back % Math.max(1, mine.length))) ?? 0;
    const make: Make = EVENTS[step.kind];
    events.push(...make(step, n, (more) => ({ ...step, sequence: n + more }), target));
    if (step.kind === 'apply' || step.kind === 'undo') operations.set(step.workspace, [...mine, n]);
  }
  return events;
}
