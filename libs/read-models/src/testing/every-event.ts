import { ABSENT, type StoredEvent, WorkspaceNameSchema } from '@retrace/contracts';
import * as given from './events.js';
import { ann, type At, bob, operator } from './stored.js';

const garden = WorkspaceNameSchema.parse('garden');
const text = (n: number, path: string, ...compensates: number[]) => ({ n, path, to: given.file(n), compensates });

/** A folder with two files that gets another name: one request, five records. */
const MOVED = [
  { n: 30, path: 'lib', to: given.file(0), movedFrom: 'src', action: 'move' as const },
  { n: 31, path: 'lib/a', to: given.file(10), movedFrom: 'src/a', action: 'move' as const, partOf: 30 },
  { n: 32, path: 'src/a', to: ABSENT, from: given.file(10), movedTo: 'lib/a', action: 'move' as const, partOf: 30 },
  { n: 33, path: 'lib/b', to: given.file(11), movedFrom: 'src/b', action: 'move' as const, partOf: 30 },
  { n: 34, path: 'src/b', to: ABSENT, from: given.file(11), movedTo: 'lib/b', action: 'move' as const, partOf: 30 },
];

const STEPS: ((at: At) => StoredEvent)[] = [
  (at) => given.workspaceRegistered(at),
  (at) => given.workspaceRegistered({ ...at, workspace: garden }),
  (at) => given.baselined(at),
  (at) => given.policyPublished(1, at),
  (at) => given.memberAdded(ann, at),
  (at) => given.sessionOpened(1, at),
  (at) => given.authorized(1, [text(10, 'src/a'), text(11, 'src/b')], at),
  (at) => given.applied(1, [text(10, 'src/a'), text(11, 'src/b')], at),
  (at) => given.authorized(2, [text(12, 'src/c')], at),
  (at) => given.stale(2, at),
  (at) => given.authorized(2, [text(12, 'src/c')], at, { attempt: 2 }),
  (at) => given.failed(2, at),
  (at) => given.denied(3, { ...at, agent: bob }),
  (at) => given.accessRefused({ ...at, agent: bob }),
  (at) => given.opened(4, at),
  (at) => given.authorized(4, MOVED, at, { open: true, part: 1 }),
  (at) => given.applied(4, MOVED, at),
  (at) => given.authorized(4, [text(35, 'lib/c')], at, { open: true, part: 2 }),
  (at) => given.applied(4, [text(35, 'lib/c')], at, { part: 2 }),
  (at) => given.committed(4, at),
  (at) => given.opened(5, at),
  (at) => given.applied(5, [text(40, 'lib/d')], at),
  (at) => given.aborted(5, 6, at),
  (at) => given.stepRequested(6, 1, [{ n: 41, path: 'lib/d', to: ABSENT, compensates: [40] }], at),
  (at) => given.applied(6, [{ n: 41, path: 'lib/d', to: ABSENT, compensates: [40] }], at, given.asRollback(6)),
  (at) => given.rollbackCompleted(6, at),
  (at) => given.rollbackAuthorized(7, { ...at, agent: operator }),
  (at) => given.stepRequested(7, 1, [text(50, 'lib/c', 35)], { ...at, agent: operator }),
  (at) => given.applied(7, [text(50, 'lib/c', 35)], { ...at, agent: operator }, given.asRollback(7)),
  (at) => given.rollbackCompleted(7, { ...at, agent: operator }),
  (at) => given.applied(8, [text(60, 'x/y')], { ...at, workspace: garden, agent: bob }),
  (at) => given.rejected(at),
  (at) => given.sessionCompleted(1, at),
];

/** A log with every event of the catalogue in two workspaces of different lanes. */
export const EVERY_EVENT: readonly StoredEvent[] = STEPS.map((step, index) => step({ sequence: index + 1 }));
