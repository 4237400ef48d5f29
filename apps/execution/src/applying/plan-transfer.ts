import {
  ABSENT,
  type AuthorizedOperation,
  describePathState,
  type OperationId,
  type OperationRequest,
  type PathState,
} from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import { isFsError } from '@retrace/workspace-fs';
import { requirePinned, requireRecorded } from './check-present.js';
import type { PlannedChange, RecordParts } from './planned-change.js';
import { Refused, refusal, Stale } from './refusal.js';
import { requireLeadsInside } from './require-leads-inside.js';
import { requireParent } from './require-parent.js';
import type { Present, SimulatedTree } from './simulated-tree.js';

const SET_ID = 0o6000;

type TransferRequest = Extract<OperationRequest, { action: 'move' | 'copy' }>;
export type TransferOperation = AuthorizedOperation & { readonly request: TransferRequest };

interface Ends {
  readonly source: NonNullable<AuthorizedOperation['source']>;
  readonly from: Present;
  readonly target: Present;
}

/** A file or link gets a copy under another path. Throws {@link Refused} or {@link Stale}. */
export function planCopy(operation: TransferOperation, tree: SimulatedTree): PlannedChange[] {
  const { request, canonical: path } = operation;
  const { source, from, target } = endsOf(operation, tree);
  const to: PathState = from.state.kind === 'file' ? { ...from.state, mode: from.state.mode & ~SET_ID } : from.state;
  const cleared = from.state.kind === 'file' && (from.state.mode & SET_ID) !== 0;
  const record: RecordParts = {
    ...partsOf(operation),
    before: target,
    expected: request.expected,
    copiedFrom: source.canonical,
    notes: cleared ? ['the copy has no set-id bits'] : [],
  };
  return [{ operationId: request.operation_id, path, from: target, to, content: { kind: 'copied', of: from }, record }];
}

/**
 * The object itself goes to another path: out into staging, and in from there, after what it replaces went aside. Two
 * records: the old path's has an id derived from the operation's.
 */
export function planMove(operation: TransferOperation, tree: SimulatedTree): PlannedChange[] {
  const { request, canonical: to } = operation;
  const { source, from, target } = endsOf(operation, tree);
  const { operation_id: operationId } = request;
  const way = { from: source.canonical, to };
  const out: PlannedChange = {
    operationId: deriveId('op', operationId, 'source'),
    path: source.canonical,
    from,
    to: ABSENT,
    moved: { half: 'out', ...way, by: operationId },
    record: {
      ...partsOf(operation),
      typed: request.path,
      before: from,
      decision: source.decision,
      expected: request.expected,
      partOf: operation.part_of ?? operationId,
      movedTo: to,
    },
  };
  const record: RecordParts = { ...partsOf(operation), before: target, movedFrom: source.canonical };
  return [out, ...placed(operationId, way, from, target, record)];
}

/** The object that was taken out comes in at its new path; whatever stands there went aside. */
export function placed(
  operationId: OperationId,
  way: { readonly from: PlannedChange['path']; readonly to: PlannedChange['path'] },
  object: Present,
  target: Present,
  record: RecordParts,
): PlannedChange[] {
  const common = { operationId, path: way.to };
  const aside: PlannedChange = { ...common, from: target, to: ABSENT, record: undefined };
  const free: Present = { state: ABSENT, recorded: target.recorded, planned: true };
  const moved = { half: 'in', ...way, object } as const;
  const into: PlannedChange = { ...common, from: free, to: object.state, moved, record };
  return target.state.kind === 'absent' ? [into] : [aside, into];
}

const partsOf = ({ request, decision, part_of, recorded_as }: TransferOperation) => ({
  typed: request.to,
  action: recorded_as ?? request.action,
  decision,
  partOf: part_of,
});

function endsOf(operation: TransferOperation, tree: SimulatedTree): Ends {
  const { request, canonical, pin, source } = operation;
  if (!source) throw new TypeError(`a ${request.action} without a source`);
  if (source.canonical === canonical)
    throw new Refused(refusal('into_itself', `${canonical} is to become itself; name another path`));
  const from = lookAt(source.canonical, tree);
  requirePinned({ path: source.canonical, pin: source.pin, expected: request.expected }, from);
  requireMovable(operation, source.canonical, from);
  requireLeadsInside(source.canonical, canonical, from.state);
  if (request.action === 'move') requireRecorded('move', source.canonical, from, request.expected);
  const target = lookAt(canonical, tree);
  requirePinned({ path: canonical, pin }, target);
  requireRoom(request, canonical, target);
  requireParent(canonical, tree);
  return { source, from, target };
}

/** A link on the way to one end is not one on the way to the other: policy is told which. */
function lookAt(path: string, tree: SimulatedTree): Present {
  try {
    return tree.at(path);
  } catch (error) {
    if (isFsError(error, 'link_refused')) throw new Stale(path, 'link');
    throw error;
  }
}

/** Folders are taken apart by policy: what stands here as one came after that. */
function requireMovable({ request }: TransferOperation, path: string, { state }: Present): void {
  if (state.kind === 'file' || state.kind === 'link') return;
  if (state.kind === 'absent')
    throw new Refused(refusal('absent', `there is nothing to ${request.action}`, { path, found: state }));
  throw new Refused(
    refusal('not_a_file', `${describePathState(state)} is there; as it stands it is not to ${request.action}`, {
      path,
      found: state,
    }),
  );
}

function requireRoom({ action, overwrite }: TransferRequest, path: string, target: Present): void {
  const { state } = target;
  if (state.kind === 'absent') return;
  const replaceable = state.kind === 'file' || state.kind === 'link';
  if (overwrite !== true || !replaceable) {
    const next = replaceable ? 'set overwrite to replace it' : 'name the new path itself, not a folder to put it into';
    throw new Refused(refusal('exists', `${describePathState(state)} is there already; ${next}`, { found: state }));
  }
  requireRecorded(action, path, target);
}
