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

/**
 * Which steps move an object back itself: the one takes it out of where it is now, a later one puts it where it was.
 * Only a file or link travels, and only into the very state that it has.
 */
export class Travels {
  private readonly steps = new Set<RestoreOperation>();
  private readonly taken = new Map<string, Present>();

  constructor(steps: readonly RestoreOperation[]) {
    const leaving = new Map<string, RestoreOperation>();
    for (const step of steps) {
      const { path, moves_from, moves_to } = step;
      const out = moves_from === undefined ? undefined : leaving.get(wayOf(moves_from, path));
      if (out && samePathState(out.expect, step.restore)) this.steps.add(out).add(step);
      if (moves_from !== undefined) leaving.delete(wayOf(moves_from, path));
      if (moves_to !== undefined && canTravel(step)) leaving.set(wayOf(path, moves_to), step);
    }
  }

  /** Where the object at the step's path goes, if it goes itself. */
  goesTo(step: RestoreOperation, object: Present): WorkspacePath | undefined {
    const { path, moves_to } = step;
    if (moves_to === undefined || !this.steps.has(step)) return undefined;
    this.taken.set(wayOf(path, moves_to), object);
    return moves_to;
  }

  /** The object that comes to the step's path, and from where. */
  comes(step: RestoreOperation): { from: WorkspacePath; object: Present } | undefined {
    const { path, moves_from: from } = step;
    const object = from === undefined || !this.steps.has(step) ? undefined : this.taken.get(wayOf(from, path));
    return from === undefined || object === undefined ? undefined : { from, object };
  }
}

const wayOf = (from: string, to: string): string => `${from}\0${to}`;
const canTravel = ({ expect }: RestoreOperation): boolean => expect.kind === 'file' || expect.kind === 'link';

/**
 * Brings one path back to an earlier state. An object that was moved goes back itself where it still is what it was;
 * else, as everywhere, a new one is made from the blob store. Throws {@link Refused}.
 */
export function planRestore(
  { rule }: Pick<Authority, 'rule'>,
  restore: RestoreOperation,
  tree: SimulatedTree,
  travels: Travels,
): PlannedChange[] {
  const { path, restore: to, operation_id: operationId } = restore;
  // What is to stay away may have had a folder that is a file or a link by now.
  const from = restore.expect.kind === 'absent' ? tree.beneathAnything(path) : tree.at(path);
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
  const goesTo = travels.goesTo(restore, from);
  if (goesTo !== undefined) return takenOut(restore, goesTo, from, record);
  const comes = travels.comes(restore);
  if (comes) return placed(operationId, { from: comes.from, to: path }, comes.object, from, record);
  const plain = { ...record, movedFrom: undefined, movedTo: undefined };
  return [{ operationId, path, from, to, record: plain }];
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
