import { ABSENT, describePathState, samePathState, type RestoreStep, type WorkspacePath } from '@retrace/contracts';
import type { Authority, RestoreOperation } from '../domain/authority.js';
import { placed } from './plan-transfer.js';
import type { PlannedChange, RecordParts } from './planned-change.js';
import { Refused, refusal } from './refusal.js';
import type { Present, SimulatedTree } from './simulated-tree.js';

const NOTES: Record<RestoreStep['how'], readonly string[]> = {
  restore: [],
  merge: ['merged with later changes, which stay'],
  force: ['put over what others had left there'],
};

/** Objects that earlier steps of the same request took out for later ones. */
export class TakenObjects {
  private readonly objects = new Map<string, Present>();

  put(from: string, to: string, object: Present): void {
    this.objects.set(`${from}\0${to}`, object);
  }

  find(from: string, to: string): Present | undefined {
    return this.objects.get(`${from}\0${to}`);
  }
}

/**
 * Brings one path back to an earlier state. An object that was moved goes back itself where it still is what it was;
 * else, as everywhere, a new one is made from the blob store. Throws {@link Refused}.
 */
export function planRestore(
  { rule }: Pick<Authority, 'rule'>,
  restore: RestoreOperation,
  tree: SimulatedTree,
  taken: TakenObjects,
  others: readonly RestoreOperation[],
): PlannedChange[] {
  const { path, restore: to, operation_id: operationId } = restore;
  const from = tree.at(path);
  if (!samePathState(from.state, restore.expect)) throw movedSincePlan(restore, from);
  const record: RecordParts = {
    typed: path,
    action: 'restore',
    before: from,
    decision: rule,
    expected: from.state,
    compensates: restore.compensates,
    notes: NOTES[restore.how],
    movedFrom: restore.moves_from,
    movedTo: restore.moves_to,
  };
  if (restore.moves_to !== undefined && goesOn(restore, restore.moves_to, others)) {
    taken.put(path, restore.moves_to, from);
    return takenOut(restore, restore.moves_to, from, record);
  }
  const object = restore.moves_from === undefined ? undefined : taken.find(restore.moves_from, path);
  if (object !== undefined && restore.moves_from !== undefined)
    return placed(operationId, { from: restore.moves_from, to: path }, object, from, record);
  const plain = { ...record, movedFrom: undefined, movedTo: undefined };
  return [{ operationId, path, from, to, record: plain }];
}

/** Only a file or link travels, and only into the very state that it has. */
function goesOn({ path, expect }: RestoreOperation, to: WorkspacePath, others: readonly RestoreOperation[]): boolean {
  const other = others.find((step) => step.path === to && step.moves_from === path);
  const travels = expect.kind === 'file' || expect.kind === 'link';
  return travels && other !== undefined && samePathState(other.restore, expect);
}

/** What is to stand here afterwards is made anew once the object is out. */
function takenOut(
  { path, restore: to, operation_id: operationId }: RestoreOperation,
  goesTo: WorkspacePath,
  from: Present,
  record: RecordParts,
): PlannedChange[] {
  const moved = { half: 'out', from: path, to: goesTo } as const;
  if (to.kind === 'absent') return [{ operationId, path, from, to, moved, record }];
  const free: Present = { state: ABSENT, recorded: from.recorded, planned: true };
  return [
    { operationId, path, from, to: ABSENT, moved, record: undefined },
    { operationId, path, from: free, to, record },
  ];
}

const movedSincePlan = ({ path, expect }: RestoreOperation, { state: found }: Present): Refused =>
  new Refused(
    refusal(
      'changed_outside',
      `changed since the plan: expected ${describePathState(expect)}, found ${describePathState(found)}; plan again`,
      { path, expected: expect, found },
    ),
  );
