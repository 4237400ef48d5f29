import { foldersAbove } from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import type { Reach } from '../domain/decision-input.js';
import type { InflightOperation, InflightRow } from '../domain/rows.js';

interface Standing extends InflightOperation {
  readonly sequence: number;
  readonly holder: string;
}

interface Paths {
  readonly standing: Map<string, Standing[]>;
  /** Folders, with the number of paths below them on which something is in flight. */
  readonly above: Map<string, number>;
}

/** Finds the newest unfinished operation on a path; a view of the rows `inflight`, in memory alone. */
export class InflightIndex {
  private readonly workspaces = new Map<string, Paths>();

  /** `holder`: the key of the row. */
  put(workspace: string, holder: string, row: InflightRow): void {
    this.remove(workspace, holder, row);
    const paths = this.workspaces.get(workspace) ?? { standing: new Map(), above: new Map() };
    this.workspaces.set(workspace, paths);
    for (const effect of row.effects) {
      const standing = paths.standing.get(effect.path) ?? [];
      if (standing.length === 0) count(paths, effect.path, 1);
      paths.standing.set(effect.path, standing);
      standing.push({ ...effect, holder, sequence: row.sequence });
    }
  }

  remove(workspace: string, holder: string, row: InflightRow): void {
    const paths = this.workspaces.get(workspace);
    if (!paths) return;
    for (const { path } of row.effects) {
      const before = paths.standing.get(path);
      if (!before) continue;
      const left = before.filter((standing) => standing.holder !== holder);
      if (left.length > 0) paths.standing.set(path, left);
      else if (paths.standing.delete(path)) count(paths, path, -1);
    }
    if (paths.standing.size === 0) this.workspaces.delete(workspace);
  }

  newest(workspace: string, path: string): InflightOperation | undefined {
    const standing = this.workspaces.get(workspace)?.standing.get(path) ?? [];
    // Within one logical operation the last on the path is the newest: hence `>=`.
    const newest = standing.reduce<Standing | undefined>(
      (before, next) => (before === undefined || next.sequence >= before.sequence ? next : before),
      undefined,
    );
    return newest?.source ? { ...newest, operation_id: deriveId('op', newest.operation_id, 'source') } : newest;
  }

  /** Whether work in flight may change what is found there. */
  reaches(workspace: string, { path, deep }: Reach): boolean {
    const paths = this.workspaces.get(workspace);
    if (!paths) return false;
    if (paths.standing.has(path) || (deep && paths.above.has(path))) return true;
    for (const folder of foldersAbove(path)) if (paths.standing.has(folder)) return true;
    return false;
  }
}

function count({ above }: Paths, path: string, by: 1 | -1): void {
  for (const folder of foldersAbove(path)) {
    const left = (above.get(folder) ?? 0) + by;
    if (left > 0) above.set(folder, left);
    else above.delete(folder);
  }
}
