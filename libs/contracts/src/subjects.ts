import { type Principal, PrincipalSchema, type WorkspaceName, WorkspaceNameSchema } from './names.js';

/** Fixed for ever: scaling moves partitions between instances, never their number. */
export const PARTITIONS = 64;
export const INTENT_STREAM = 'RETRACE_IN';
export const LOG_STREAM = 'RETRACE';

const REMEMBERED = 2_048;
const REMEMBERED_LENGTH = 512;

const SAFE = /^[A-Za-z0-9_-]+$/;

/** Encodes any text as one subject token: bytes outside `A-Za-z0-9_-` become `=hh`; the empty text `=`. */
export function encodeToken(text: string): string {
  if (SAFE.test(text)) return text;
  if (text === '') return '=';
  const hex = (byte: number) => `=${byte.toString(16).padStart(2, '0')}`;
  return [...new TextEncoder().encode(text)]
    .map((byte) => (SAFE.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hex(byte)))
    .join('');
}

/** The inverse of {@link encodeToken}. */
export function decodeToken(token: string): string {
  if (SAFE.test(token)) return token;
  if (token === '=') return '';
  const bytes = [...token.matchAll(/=([0-9a-f]{2})|([A-Za-z0-9_-])/g)].map(([, hex, plain]) =>
    hex === undefined ? plain!.charCodeAt(0) : Number.parseInt(hex, 16),
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Few workspaces and principals make all subjects of a process: what was read of one is kept, up to a bound. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as T;
    const found = read(text);
    if (known.size >= REMEMBERED) known.clear();
    if (text.length <= REMEMBERED_LENGTH) known.set(text, found);
    return found;
  };
}

/** The partition of a workspace: FNV-1a over its name, mod 64. */
export const partitionOf = remembered(hashOf);

function hashOf(workspace: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(workspace)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % PARTITIONS;
}

export interface EventAddress {
  readonly workspace: WorkspaceName;
  readonly agent: Principal;
  /** `operation` of `operation.applied`. */
  readonly entity: string;
  readonly verb: string;
}

export const intentSubject = (workspace: WorkspaceName, principal: Principal): string =>
  `retrace.intent.${encodeToken(workspace)}.${encodeToken(principal)}`;

export const eventSubject = ({ workspace, agent, entity, verb }: EventAddress): string =>
  `retrace.event.${partitionOf(workspace)}.${encodeToken(workspace)}.${encodeToken(agent)}.${entity}.${verb}`;

/** Where the server republishes what it stored. */
export const outcomeSubject = (workspace: WorkspaceName, principal: Principal): string =>
  `retrace.out.${encodeToken(workspace)}.${encodeToken(principal)}.>`;

export interface RpcAddress {
  /** `_` where no workspace is meant. */
  readonly workspace: WorkspaceName | '_';
  readonly service: string;
  readonly verb: string;
}

export const rpcSubject = (principal: Principal, { workspace, service, verb }: RpcAddress): string =>
  `retrace.rpc.${encodeToken(principal)}.${encodeToken(workspace)}.${service}.${verb}`;

export const serviceSubject = ({ workspace, service, verb }: RpcAddress): string =>
  `retrace.svc.${encodeToken(workspace)}.${service}.${verb}`;

/**
 * What a token says; `undefined` where it is not how {@link encodeToken} writes it. Reading such a token all the same
 * would give one workspace two subjects, with no order between them.
 */
function readToken(token: string | undefined): string | undefined {
  const text = decodeToken(token ?? '');
  return encodeToken(text) === token ? text : undefined;
}

/** Reads who asks for what from `retrace.intent.<workspace>.<principal>`; `undefined`: not such a subject. */
export const parseIntentSubject = remembered(readIntentSubject);

function readIntentSubject(subject: string): { workspace: WorkspaceName; principal: Principal } | undefined {
  const [root, kind, workspace, principal, ...rest] = subject.split('.');
  if (root !== 'retrace' || kind !== 'intent' || rest.length > 0) return undefined;
  const w = WorkspaceNameSchema.safeParse(readToken(workspace));
  const p = PrincipalSchema.safeParse(readToken(principal));
  return w.success && p.success ? { workspace: w.data, principal: p.data } : undefined;
}

/** Reads `retrace.event.<p>.<workspace>.<agent>.<entity>.<verb>`; `undefined`: not such a subject. */
export const parseEventSubject = remembered(readEventSubject);

function readEventSubject(subject: string): EventAddress | undefined {
  const [root, kind, partition, workspace, agent, entity, verb, ...rest] = subject.split('.');
  if (root !== 'retrace' || kind !== 'event' || !entity || !verb || rest.length > 0) return undefined;
  const w = WorkspaceNameSchema.safeParse(readToken(workspace));
  const a = PrincipalSchema.safeParse(readToken(agent));
  // In another partition's lane the workspace's events would have no order between them.
  if (!w.success || !a.success || partition !== String(partitionOf(w.data))) return undefined;
  return { workspace: w.data, agent: a.data, entity, verb };
}

/** Who called what: parsed from an RPC subject, so never a claim of the caller's. Services call without a principal. */
export interface RpcCaller {
  readonly principal: Principal | undefined;
  readonly workspace: WorkspaceName | '_';
  readonly service: string;
  readonly verb: string;
}

/** Reads a call's subject; `undefined`: not such a subject. */
export const parseRpcSubject = remembered(readRpcSubject);

function readRpcSubject(subject: string): RpcCaller | undefined {
  const tokens = subject.split('.');
  const fromService = tokens[1] === 'svc';
  if (tokens[0] !== 'retrace' || !(fromService || tokens[1] === 'rpc')) return undefined;
  const [principal, workspace, service, verb, ...rest] = fromService ? ['', ...tokens.slice(2)] : tokens.slice(2);
  if (!workspace || !service || !verb || rest.length > 0) return undefined;
  const p = fromService ? undefined : PrincipalSchema.safeParse(readToken(principal));
  const w = workspace === '_' ? undefined : WorkspaceNameSchema.safeParse(readToken(workspace));
  if (p?.success === false || w?.success === false) return undefined;
  return { principal: p?.data, workspace: w?.data ?? '_', service, verb };
}
