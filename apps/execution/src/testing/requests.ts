import {
  type AuthorizedOperation,
  type EditScript,
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
}

type WithoutId<T> = T extends unknown ? Omit<T, 'operation_id'> : never;

export const ANY: Pin = { kind: 'any' };

function authorized(request: WithoutId<OperationRequest>, pin: Pin = ANY): AuthorizedOperation {
  const own = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  return {
    request: { ...own, operation_id: newId('op') } as OperationRequest,
    canonical: WorkspacePathSchema.parse(request.path),
    class: request.action === 'delete' ? 'delete' : 'create',
    pin,
    decision: { policy_version: 1, rule: 'everything' },
  };
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
});

export const fileOf = (content: Uint8Array | string, mode = 0o644): PathState & { kind: 'file' } => ({
  kind: 'file',
  hash: hashOf(content),
  size: Buffer.byteLength(content),
  mode,
});
