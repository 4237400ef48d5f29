import { canonicalPath, type FsStat, parentPath, RetraceError, type WorkspacePath } from '@retrace/contracts';
import { captureState } from '@retrace/workspace-fs';
import type { z } from 'zod';
import type { WorkspaceExecutor } from '../workspaces/workspace-executor.js';
import type { Workspace } from '../workspaces/workspace.js';
import { asRetraceError, canonicalOf, recordedFact } from './facts.js';
import { timeOf } from './list-folder.js';
import type { Reader, ReadGate } from './read-gate.js';

type Query = z.infer<typeof FsStat.request>;

/** What stands at a path, and who recorded its last change. Throws what the gate throws; absence is an answer. */
export async function statPath(
  executor: WorkspaceExecutor,
  gate: ReadGate,
  reader: Reader,
  { path, follow }: Query,
): Promise<z.infer<typeof FsStat.reply>> {
  const { workspace } = executor;
  const canonical = gate.admit(reader, path, (typed) =>
    follow ? canonicalOf(workspace, typed) : itself(workspace, typed),
  );
  await executor.untilKnown([canonical]);
  try {
    const { state, stat } = captureState(workspace.root.rootFd, canonical, { cache: workspace.cache });
    const recorded = recordedFact(executor.recorded(canonical));
    return { canonical, state, modified_at: stat ? timeOf(stat) : null, recorded };
  } catch (error) {
    throw asRetraceError(error, canonical);
  }
}

/** The last name is taken as it is; links on the way to it are followed inside the root. */
function itself(workspace: Workspace, typed: string): WorkspacePath {
  const spelled = orThrow(canonicalPath(typed));
  const parent = parentPath(spelled);
  if (parent === undefined) return spelled;
  return orThrow(canonicalPath(`${canonicalOf(workspace, parent)}/${spelled.slice(parent.length + 1)}`));
}

function orThrow(parsed: ReturnType<typeof canonicalPath>): WorkspacePath {
  if (parsed.ok) return parsed.path;
  throw new RetraceError(parsed.code, parsed.message);
}
