import { canonicalPath, type Fact, RetraceError, type WorkspacePath } from '@retrace/contracts';
import { captureState, isFsError, resolveCanonical } from '@retrace/workspace-fs';
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

/** What is known of one path. Problems are told, not thrown: policy asks for many at once. */
export function factOf(
  workspace: Workspace,
  path: WorkspacePath,
  follow: boolean,
  recordedOf: (path: string) => Recorded | undefined,
): Fact {
  try {
    const canonical = follow ? canonicalOf(workspace, path) : path;
    const { state } = captureState(workspace.root.rootFd, canonical, { cache: workspace.cache });
    return { path, canonical, state, recorded: recordedFact(recordedOf(canonical)), problem: null };
  } catch (error) {
    const known = asRetraceError(error, path);
    if (!(known instanceof RetraceError)) throw error;
    const problem = { code: known.code, message: known.message };
    return { path, canonical: path, state: { kind: 'absent' }, recorded: null, problem };
  }
}

/** A change whose outcome the log has not answered yet is not on record. */
const recordedFact = (recorded: Recorded | undefined): Fact['recorded'] =>
  recorded && recorded.sequence !== null
    ? {
        state: recorded.state,
        sequence: recorded.sequence,
        operation_id: recorded.operationId,
        session_id: recorded.sessionId,
        agent: recorded.agent,
      }
    : null;
