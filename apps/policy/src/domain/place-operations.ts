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
import type { PlacedOperation } from './judge-operations.js';

export type Placed =
  | { readonly kind: 'placed'; readonly operations: PlacedOperation[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'need_facts'; readonly paths: WorkspacePath[]; readonly follow: true };

interface Spelled {
  readonly request: OperationRequest;
  readonly path: WorkspacePath;
}

/** Brings every path to its one spelling; with links followed, to the object that it names. */
export function placeOperations(requests: readonly OperationRequest[], findings: Findings): Placed {
  const spelled: Spelled[] = [];
  for (const request of requests) {
    const parsed = canonicalPath(request.path);
    if (!parsed.ok) {
      const { code, message } = parsed;
      return { kind: 'refused', refusal: { code, message, path: request.path, action: request.action } };
    }
    spelled.push({ request, path: parsed.path });
  }
  const facts = findings.facts === 'unavailable' ? undefined : findings.facts;
  const follow =
    findings.follow || (facts !== undefined && (facts.follow || [...facts.byPath.values()].some(isIndirect)));
  return follow ? throughLinks(spelled, facts?.follow ? facts.byPath : undefined) : asSpelled(spelled, facts?.byPath);
}

/** The path is not what it seems: a link on the way or at its end. */
const isIndirect = ({ path, canonical, state, problem }: Fact): boolean =>
  problem !== null || state.kind === 'link' || canonical !== path;

const asSpelled = (spelled: readonly Spelled[], facts: ReadonlyMap<string, Fact> | undefined): Placed => ({
  kind: 'placed',
  operations: spelled.map(({ request, path }) => ({ request, canonical: path, fact: facts?.get(path) })),
});

/**
 * The path to ask about. A write and an edit act on what a last link names; create, mkdir and delete act on the name
 * itself, so only the folder that holds it is followed.
 */
function followed({ request, path }: Spelled): WorkspacePath | undefined {
  switch (request.action) {
    case 'write':
    case 'edit':
      return path;
    case 'create':
    case 'mkdir':
    case 'delete':
      return parentPath(path) as WorkspacePath | undefined;
  }
}

function throughLinks(spelled: readonly Spelled[], facts: ReadonlyMap<string, Fact> | undefined): Placed {
  const paths = [...new Set(spelled.map(followed).filter((path) => path !== undefined))];
  if (paths.some((path) => !facts?.has(path))) return { kind: 'need_facts', paths, follow: true };
  const operations: PlacedOperation[] = [];
  for (const item of spelled) {
    const asked = followed(item);
    const fact = asked === undefined ? undefined : facts?.get(asked);
    if (fact?.problem) return { kind: 'refused', refusal: unreachable(item, fact.problem) };
    operations.push(place(item, asked, fact));
  }
  return { kind: 'placed', operations };
}

function place({ request, path }: Spelled, asked: WorkspacePath | undefined, fact: Fact | undefined): PlacedOperation {
  if (fact === undefined) return { request, canonical: path, fact: undefined };
  if (asked === path) return { request, canonical: fact.canonical, fact };
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { request, canonical: `${fact.canonical}/${name}` as WorkspacePath, fact: undefined };
}

const unreachable = ({ request, path }: Spelled, { code, message }: NonNullable<Fact['problem']>): Refusal => ({
  code: isErrorCode(code) ? code : 'link_refused',
  message: `${path}: ${message}`,
  path,
  action: request.action,
});
