import type { PathState, Principal, RestoreStep, WorkspaceName, WorkspacePath } from '@retrace/contracts';
import type { IndexedOperation } from '../domain/operation-index.js';
import type { OperationHistory } from '../ports/operation-history.port.js';

const MOST_RECORDS = 100_000;

/**
 * What an agent may be shown of steps that it asked for: contents that its own recorded work found or left at these paths,
 * and what a plan merged of nothing else. The rest it reads, where the rules let it, by the path.
 */
export class OwnContents {
  constructor(private readonly history: OperationHistory) {}

  /** `steps`: all of one path. Answers whether neither of their ends is the content of others. */
  mayShow(workspace: WorkspaceName, agent: Principal, steps: readonly RestoreStep[]): boolean {
    const [first] = steps;
    const last = steps.at(-1);
    if (!first || !last) return true;
    const records = this.recordsOf(workspace, steps);
    const own = new Set(records.filter((each) => each.agent === agent).flatMap(hashesOf));
    const isOwn = (state: PathState): boolean => state.kind !== 'file' || own.has(state.hash);
    return isOwn(first.expect) && (isOwn(last.restore) || isMergeOf(steps, records, isOwn));
  }

  private recordsOf(workspace: WorkspaceName, steps: readonly RestoreStep[]): IndexedOperation[] {
    const names = steps.flatMap(({ path, moves_from }) => [path, ...(moves_from === undefined ? [] : [moves_from])]);
    const exact: WorkspacePath[] = [...new Set(names)];
    const found = this.history.around(workspace, { exact, folders: [] }, MOST_RECORDS);
    const known = new Set(found.map(({ operation_id }) => operation_id));
    // What is taken back was recorded under an earlier name where the object was moved since.
    const elsewhere = steps.flatMap(({ compensates }) => compensates).filter((id) => !known.has(id));
    return [
      ...found,
      ...[...new Set(elsewhere)].flatMap((operation_id) =>
        this.history
          .selected(workspace, { by: 'operation', operation_id }, MOST_RECORDS)
          .filter((each) => each.operation_id === operation_id),
      ),
    ];
  }
}

/** A merge takes what stands there, and both ends of each operation that it takes back. */
function isMergeOf(
  steps: readonly RestoreStep[],
  records: readonly IndexedOperation[],
  isOwn: (state: PathState) => boolean,
): boolean {
  const takenBack = new Set(steps.flatMap(({ compensates }) => compensates));
  const sides = records.filter(({ operation_id }) => takenBack.has(operation_id));
  return (
    steps.some(({ how }) => how === 'merge') &&
    sides.length === takenBack.size &&
    sides.every(({ before, after }) => isOwn(before) && isOwn(after))
  );
}

const hashesOf = ({ before, after }: IndexedOperation): string[] =>
  [before, after].flatMap((state) => (state.kind === 'file' ? [state.hash] : []));
