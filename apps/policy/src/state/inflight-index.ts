import { type InflightOperation, inflightOperations, type InflightRow } from '../domain/rows.js';

interface Standing extends InflightOperation {
  readonly sequence: number;
  readonly logicalOperation: string;
}

/** Finds the newest unfinished operation on a path; a view of the rows `inflight`, in memory alone. */
export class InflightIndex {
  private readonly workspaces = new Map<string, Map<string, Standing[]>>();

  put(workspace: string, logicalOperation: string, row: InflightRow): void {
    this.remove(workspace, logicalOperation, row);
    const paths = this.workspaces.get(workspace) ?? new Map<string, Standing[]>();
    this.workspaces.set(workspace, paths);
    for (const operation of inflightOperations(row)) {
      const standing = paths.get(operation.path) ?? [];
      paths.set(operation.path, standing);
      standing.push({ ...operation, logicalOperation, sequence: row.sequence });
    }
  }

  remove(workspace: string, logicalOperation: string, row: InflightRow): void {
    const paths = this.workspaces.get(workspace);
    if (!paths) return;
    for (const { path } of inflightOperations(row)) {
      const left = (paths.get(path) ?? []).filter((standing) => standing.logicalOperation !== logicalOperation);
      if (left.length > 0) paths.set(path, left);
      else paths.delete(path);
    }
    if (paths.size === 0) this.workspaces.delete(workspace);
  }

  newest(workspace: string, path: string): InflightOperation | undefined {
    const standing = this.workspaces.get(workspace)?.get(path) ?? [];
    // Within one logical operation the last on the path is the newest: hence `>=`.
    return standing.reduce<Standing | undefined>(
      (newest, next) => (newest === undefined || next.sequence >= newest.sequence ? next : newest),
      undefined,
    );
  }
}
