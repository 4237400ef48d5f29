import {
  type ActionClass,
  type AuthorizedOperation,
  type EditScript,
  type OperationId,
  type OperationRequest,
  type PathState,
  type Pin,
  WorkspacePathSchema,
  type WriteMode,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { hashOf, type MemoryBlobs } from './memory-blobs.js';

export interface Extras {
  readonly pin?: Pin;
  readonly mode?: number;
  readonly write_mode?: WriteMode;
  readonly expected?: PathState;
  /** Of a copy or move: a file or link at the new path is replaced. */
  readonly overwrite?: boolean;
  /** Of a copy or move: of what is copied or moved. */
  readonly sourcePin?: Pin;
}

type WithoutId<T> = T extends unknown ? Omit<T, 'operation_id'> : never;

export const ANY: Pin = { kind: 'any' };

const CLASSES: Partial<Record<OperationRequest['action'], ActionClass>> = {
  delete: 'delete',
  rmdir: 'delete',
  chmod: 'overwrite',
};
const DECISION = { policy_version: 1, rule: 'everything' };

function authorized(request: WithoutId<OperationRequest>, pin: Pin = ANY): AuthorizedOperation {
  const own = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  return {
    request: { ...own, operation_id: newId('op') } as OperationRequest,
    canonical: WorkspacePathSchema.parse(request.path),
    class: CLASSES[request.action] ?? 'create',
    pin,
    decision: DECISION,
  };
}

function transfer(action: 'move' | 'copy', path: string, to: string, extras: Extras): AuthorizedOperation {
  const { pin, overwrite, expected, sourcePin = ANY } = extras;
  const operation = authorized({ action, path, to, overwrite, expected }, pin);
  const source = {
    canonical: operation.canonical,
    class: action === 'move' ? ('move' as const) : ('read' as const),
    pin: sourcePin,
    decision: DECISION,
  };
  return { ...operation, canonical: WorkspacePathSchema.parse(to), source };
}

const contentOf = (blobs: MemoryBlobs, content: Uint8Array | string) => ({
  content_hash: blobs.keep(content),
  size: Buffer.byteLength(content),
});

/** Authorized operations, their content uploaded. */
export const requests = (blobs: MemoryBlobs) => ({
  create: (path: string, content: Uint8Array | string, { pin, mode, expected }: Extras = {}) =>
    authorized({ action: 'create', path, ...contentOf(blobs, content), mode, expected }, pin),
  write: (path: string, content: Uint8Array | string, { pin, mode, write_mode, expected }: Extras = {}) =>
    authorized({ action: 'write', path, ...contentOf(blobs, content), mode, write_mode, expected }, pin),
  edit: (path: string, edits: EditScript['edits'], { pin, write_mode, expected }: Extras = {}) =>
    authorized({ action: 'edit', path, ...contentOf(blobs, JSON.stringify({ edits })), write_mode, expected }, pin),
  mkdir: (path: string, { pin, mode }: Extras = {}) => authorized({ action: 'mkdir', path, mode }, pin),
  remove: (path: string, { pin, expected }: Extras = {}) => authorized({ action: 'delete', path, expected }, pin),
  append: (path: string, content: Uint8Array | string, { pin, mode, write_mode, expected }: Extras = {}) =>
    authorized({ action: 'append', path, ...contentOf(blobs, content), mode, write_mode, expected }, pin),
  rmdir: (path: string, { pin, expected }: Extras = {}) => authorized({ action: 'rmdir', path, expected }, pin),
  chmod: (path: string, mode: number, { pin, expected }: Extras = {}) =>
    authorized({ action: 'chmod', path, mode, expected }, pin),
  symlink: (path: string, target: string, { pin, expected }: Extras = {}) =>
    authorized({ action: 'symlink', path, target, expected }, pin),
  copy: (path: string, to: string, extras: Extras = {}) => transfer('copy', path, to, extras),
  move: (path: string, to: string, extras: Extras = {}) => transfer('move', path, to, extras),
});

export const fileOf = (content: Uint8Array | string, mode = 0o644): PathState & { kind: 'file' } => ({
  kind: 'file',
  hash: hashOf(content),
  size: Buffer.byteLength(content),
  mode,
});

type Marks = Pick<AuthorizedOperation, 'part_of' | 'recorded_as' | 'moved'>;

/** An operation as policy expands one: a part of `asked`, or its root under its own id. */
export const part = (operation: AuthorizedOperation, asked: OperationId, marks: Marks = {}): AuthorizedOperation => ({
  ...operation,
  part_of: asked,
  ...marks,
});
export const root = (operation: AuthorizedOperation, asked: OperationId, marks: Marks = {}): AuthorizedOperation => ({
  ...operation,
  request: { ...operation.request, operation_id: asked },
  ...marks,
});
