import {
  canonicalPath,
  type Fact,
  isErrorCode,
  type OperationRequest,
  parentPath,
  type WorkspacePath,
} from '@retrace/contracts';
import type { Refusal } from './decision-events.js';
import type { Findings } from './decision-input.js';

/** An operation with the one spelling of its paths, links followed where they were asked for. */
export interface PlacedOperation {
  readonly request: OperationRequest;
  /** The path that changes; of a move or copy, where it is to stand. */
  readonly canonical: WorkspacePath;
  /** Of a move or copy: what is moved or copied; else the same as `canonical`. */
  readonly from: WorkspacePath;
  /** What execution says of `canonical`, where it was asked. */
  readonly fact: Fact | undefined;
}

export type Placed =
  | { readonly kind: 'placed'; readonly operations: PlacedOperation[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'need_facts'; readonly paths: WorkspacePath[]; readonly follow: true };

interface Spelled {
  readonly request: OperationRequest;
  readonly path: WorkspacePath;
  readonly from: WorkspacePath;
}

/** Brings every path to its one spelling; with links followed, to the object that it names. */
export function* placeOperations(requests: readonly OperationRequest[], findings: Findings): Generator<void, Placed> {
  const spelled: Spelled[] = [];
  for (const request of requests) {
    yield;
    const end = spell(request);
    if ('kind' in end) return end;
    spelled.push({ request, ...end });
  }
  const facts = findings.facts === 'unavailable' ? undefined : findings.facts;
  return mustFollow(findings)
    ? throughLinks(spelled, facts?.follow ? facts.byPath : undefined)
    : asSpelled(spelled, facts?.byPath);
}

type Refused = Extract<Placed, { kind: 'refused' }>;

function spell(request: OperationRequest): Pick<Spelled, 'path' | 'from'> | Refused {
  const from = canonicalPath(request.path);
  const path = 'to' in request ? canonicalPath(request.to) : from;
  if (from.ok && path.ok) return { path: path.path, from: from.path };
  const [typed, problem] = from.ok ? ['to' in request ? request.to : request.path, path] : [request.path, from];
  if (problem.ok) throw new Error('one of two paths has no spelling');
  const { code, message } = problem;
  return { kind: 'refused', refusal: { code, message, path: typed, action: request.action } };
}

/** Whether a path is not what it seems: a link on the way, or at its end where the object counts. */
export function mustFollow({ follow, facts, trees }: Findings): boolean {
  if (follow) return true;
  const known = facts === undefined || facts === 'unavailable' ? undefined : facts;
  if (known && (known.follow || [...known.byPath.values()].some((fact) => isIndirect(fact, false)))) return true;
  if (trees === undefined || typeof trees === 'string') return false;
  return [...trees.values()].some(({ facts: [root], deep }) => root !== undefined && isIndirect(root, deep));
}

/** What is moved, copied or removed (`asItself`) is a link itself, not what it names. */
const isIndirect = ({ path, canonical, state, problem }: Fact, asItself: boolean): boolean =>
  problem !== null || (state.kind === 'link' && !asItself) || canonical !== path;

const asSpelled = (spelled: readonly Spelled[], facts: ReadonlyMap<string, Fact> | undefined): Placed => ({
  kind: 'placed',
  operations: spelled.map(({ request, path, from }) => ({ request, canonical: path, from, fact: facts?.get(path) })),
});

/** Whether it acts on what a last link names; else on the name itself, and only the folder that holds it is followed. */
function actsOnObject({ action }: OperationRequest): boolean {
  switch (action) {
    case 'write':
    case 'edit':
    case 'append':
    case 'chmod':
      return true;
    case 'create':
    case 'mkdir':
    case 'rmdir':
    case 'delete':
    case 'symlink':
    case 'move':
    case 'copy':
      return false;
  }
}

/** The path to ask about. */
const followed = (request: OperationRequest, path: WorkspacePath): WorkspacePath | undefined =>
  actsOnObject(request) ? path : (parentPath(path) as WorkspacePath | undefined);

function throughLinks(spelled: readonly Spelled[], facts: ReadonlyMap<string, Fact> | undefined): Placed {
  const ends = spelled.flatMap(({ request, path, from }) => [followed(request, path), followed(request, from)]);
  const paths = [...new Set(ends.filter((path) => path !== undefined))];
  if (paths.some((path) => !facts?.has(path))) return { kind: 'need_facts', paths, follow: true };
  const operations: PlacedOperation[] = [];
  for (const { request, path, from } of spelled) {
    const to = objectAt(request, path, facts);
    const source = from === path ? to : objectAt(request, from, facts);
    if ('kind' in to) return to;
    if ('kind' in source) return source;
    operations.push({ request, canonical: to.canonical, from: source.canonical, fact: to.fact });
  }
  return { kind: 'placed', operations };
}

function objectAt(
  request: OperationRequest,
  path: WorkspacePath,
  facts: ReadonlyMap<string, Fact> | undefined,
): Pick<PlacedOperation, 'canonical' | 'fact'> | Refused {
  const asked = followed(request, path);
  const fact = asked === undefined ? undefined : facts?.get(asked);
  if (fact === undefined) return { canonical: path, fact: undefined };
  if (fact.problem) return { kind: 'refused', refusal: unreachable(request, path, fact.problem) };
  if (asked === path) return { canonical: fact.canonical, fact };
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { canonical: `${fact.canonical}/${name}` as WorkspacePath, fact: undefined };
}

export const unreachable = (
  { action }: OperationRequest,
  path: string,
  { code, message }: NonNullable<Fact['problem']>,
): Refusal => ({ code: isErrorCode(code) ? code : 'link_refused', message: `${path}: ${message}`, path, action });
