import { canonicalPath, type Fact, RetraceError, type WorkspacePath } from '@retrace/contracts';
import {
  captureState,
  isFsError,
  type Name,
  openFolder,
  readDir,
  resolveCanonical,
  withHandle,
} from '@retrace/workspace-fs';
import type { Recorded } from '../domain/recorded.js';
import { refusalOf } from '../applying/refusal.js';
import type { Workspace } from '../workspaces/workspace.js';

/** The path that a read or write through `typed` acts on, links inside the root followed. Throws the path's problem. */
export function canonicalOf({ root }: Workspace, typed: string): WorkspacePath {
  const spelled = orThrow(canonicalPath(typed));
  try {
    return orThrow(canonicalPath(resolveCanonical(root.rootFd, spelled, root.path)));
  } catch (error) {
    throw asRetraceError(error, spelled);
  }
}

function orThrow(parsed: ReturnType<typeof canonicalPath>): WorkspacePath {
  if (parsed.ok) return parsed.path;
  throw new RetraceError(parsed.code, parsed.message);
}

export function asRetraceError(error: unknown, path: string): unknown {
  if (!isFsError(error)) return error;
  const { code, message } = refusalOf(error, 0, path);
  return new RetraceError(code, `${path}: ${message}`, { cause: error });
}

/** Of one folder's entries; an answer holds many facts. */
const MOST_NAMES = 1000;
const MOST_NAME_BYTES = 32 * 1024;

type RecordedOf = (path: string) => Recorded | undefined;

/** What is known of one path. Problems are told, not thrown: policy asks for many at once. */
export function factOf(
  workspace: Workspace,
  path: WorkspacePath,
  { follow, entries }: { follow: boolean; entries?: boolean | undefined },
  recordedOf: RecordedOf,
): Fact {
  try {
    const canonical = follow ? canonicalOf(workspace, path) : path;
    const { state } = captureState(workspace.root.rootFd, canonical, { cache: workspace.cache });
    const inside = entries && state.kind === 'directory' ? entriesOf(workspace, canonical, recordedOf) : {};
    return { path, canonical, state, recorded: recordedFact(recordedOf(canonical)), problem: null, ...inside };
  } catch (error) {
    const known = asRetraceError(error, path);
    if (!(known instanceof RetraceError)) throw error;
    const problem = { code: known.code, message: known.message };
    return { path, canonical: path, state: { kind: 'absent' }, recorded: null, problem };
  }
}

/** A change whose outcome the log has not answered yet is not on record. */
export const recordedFact = (recorded: Recorded | undefined): Fact['recorded'] =>
  recorded && recorded.sequence !== null
    ? {
        state: recorded.state,
        sequence: recorded.sequence,
        operation_id: recorded.operationId,
        session_id: recorded.sessionId,
        agent: recorded.agent,
      }
    : null;

/** A folder that cannot be listed is still one: that says nothing against what else is known of it. */
function entriesOf(
  { root }: Workspace,
  folder: WorkspacePath,
  recordedOf: RecordedOf,
): Pick<Fact, 'entries' | 'entries_more'> {
  try {
    const names = withHandle(openFolder(root.rootFd, folder.split('/')), readDir);
    return strangersFirst(folder, names, recordedOf);
  } catch (error) {
    if (!isFsError(error)) throw error;
    return { entries: null };
  }
}

/** Who asks looks for what nobody recorded: that must be among the names where not all of them fit. */
function strangersFirst(folder: WorkspacePath, names: readonly Name[], recordedOf: RecordedOf) {
  const [strangers, known]: [string[], string[]] = [[], []];
  for (const name of names) {
    const path = `${folder}/${name.toString()}`;
    const state = typeof name === 'string' ? recordedOf(path)?.state : undefined;
    (state && state.kind !== 'absent' ? known : strangers).push(name.toString());
  }
  const all = [...strangers.toSorted(), ...known.toSorted()];
  const entries = fitting(all);
  return entries.length < all.length ? { entries, entries_more: true } : { entries };
}

function fitting(names: readonly string[]): string[] {
  let room = MOST_NAME_BYTES;
  const first = names.slice(0, MOST_NAMES);
  const end = first.findIndex((name) => (room -= Buffer.byteLength(JSON.stringify(name)) + 1) < 0);
  return end === -1 ? first : first.slice(0, end);
}
