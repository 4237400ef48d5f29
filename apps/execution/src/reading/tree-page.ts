import type { Fact, WorkspacePath } from '@retrace/contracts';
import { walkTree } from '@retrace/workspace-fs';
import { Pace } from '../applying/pace.js';
import type { Recorded } from '../domain/recorded.js';
import type { Workspace } from '../workspaces/workspace.js';
import { asRetraceError, factOf } from './facts.js';

/** Of one answer, roughly: an answer is one message. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Of a fact beside its paths. */
const FACT_BYTES = 700;

export interface TreeQuery {
  readonly path: WorkspacePath;
  readonly after?: WorkspacePath | undefined;
  readonly limit: number;
}

export interface TreePage {
  readonly facts: Fact[];
  readonly next: WorkspacePath | null;
}

/**
 * One page of what lies at and below a path, hashed through the stat cache; others are served meanwhile. Throws
 * `not_permitted` where a folder cannot be listed: an answer that leaves out what it holds would pass for all.
 */
export async function treePage(
  workspace: Workspace,
  { path, after, limit }: TreeQuery,
  recordedOf: (path: string) => Recorded | undefined,
): Promise<TreePage> {
  const facts: Fact[] = [];
  const pace = new Pace();
  let room = MOST_BYTES;
  for (const found of pathsOf(workspace, path, after)) {
    if (facts.length === limit || room < 0) return { facts, next: facts.at(-1)!.path };
    const fact = factOf(workspace, found, { follow: false }, recordedOf);
    facts.push(fact.state.kind === 'absent' && !fact.problem ? withoutName(fact) : fact);
    room -= FACT_BYTES + 2 * Buffer.byteLength(found);
    await pace.breathe();
  }
  return { facts, next: null };
}

function* pathsOf(
  { root }: Workspace,
  path: WorkspacePath,
  after: WorkspacePath | undefined,
): Generator<WorkspacePath> {
  if (after === undefined) yield path;
  try {
    for (const found of walkTree(root.rootFd, path, after)) yield found.path as WorkspacePath;
  } catch (error) {
    // A file or link has nothing below it.
    const known = asRetraceError(error, path) as { code?: unknown };
    if (known.code !== 'not_a_folder') throw known;
  }
}

/** It was listed: either it is gone by now, or its name has no spelling here. */
const withoutName = (fact: Fact): Fact =>
  fact.path.includes('\ufffd')
    ? {
        ...fact,
        problem: { code: 'path_not_unicode', message: `${fact.path}: the name on the disk is not UTF-8; rename it` },
      }
    : fact;
