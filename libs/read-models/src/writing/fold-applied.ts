import type { LogicalOperationId, OperationApplied, OperationId, StoredEvent, WorkspaceName } from '@retrace/contracts';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { OperationEntity } from '../entities/operation.entity.js';
import { PlannedPartEntity } from '../entities/planned-part.entity.js';
import type { RowOf } from '../entities/row-of.js';
import { type Compensable, isLive, newestCompensator, takeBack } from '../projections/compensation.projection.js';
import { applied, withLiveness } from '../projections/logical-operation.projection.js';
import { operationRows } from '../projections/operation.projection.js';
import { outcomeApplied } from '../projections/outcome.projection.js';
import { logicalOperationKey, outcomeOf } from './keys.js';
import type { Rows } from './rows.js';

const LIVE_PATHS = ['operationId', 'livePaths'] as const;
const UNDONE_BY = ['undoneBy'] as const;
const PLACED = ['operationId', 'logicalOperationId', 'sequence', 'ordinal'] as const;
/** Without the records, which are long. */
const COMPENSABLE = [
  'operationId',
  'logicalOperationId',
  'partOf',
  'sequence',
  'ordinal',
  'compensates',
  'undoneBy',
] as const satisfies readonly (keyof Compensable)[];

/** Of records that share an id, the one that the id stands for. */
const first = (workspace: WorkspaceName) => ({ workspace, repeated: 0 });

export async function foldApplied(rows: Rows, event: StoredEvent<typeof OperationApplied>): Promise<void> {
  const key = logicalOperationKey(event);
  const before = await rows.one(LogicalOperationEntity, key);
  const operations = operationRows(event, before);
  rows.put(LogicalOperationEntity, [applied(before, event)]);
  await addRecords(rows, event.workspace, operations);
  rows.removeOne(PlannedPartEntity, { ...key, part: event.data.part });
  await takeBackWhatTheyCompensate(rows, event.workspace, operations);
  await outcomeOf(rows, event, (row) => outcomeApplied(row, event));
}

/** An id that is taken already hides no record: it comes to stand beside the first. */
async function addRecords(rows: Rows, workspace: WorkspaceName, records: readonly Row[]): Promise<void> {
  if ((await rows.add(OperationEntity, records)) === records.length) return;
  const ids = [...new Set(records.map(({ operationId }) => operationId))];
  const there = await rows.findIn(OperationEntity, { workspace }, 'operationId', ids, PLACED);
  await rows.add(OperationEntity, repeats(there, records));
}

type Row = RowOf<OperationEntity>;
type Placed = Pick<OperationEntity, (typeof PLACED)[number]>;

/** The records that are not there yet, each numbered after those of the same id. */
function repeats(there: readonly Placed[], records: readonly Row[]): Row[] {
  const counts = new Map<OperationId, number>();
  const places = new Set(there.map(placeOf));
  for (const { operationId } of there) counts.set(operationId, (counts.get(operationId) ?? 0) + 1);
  return records
    .filter((record) => !places.has(placeOf(record)))
    .map((record) => {
      const repeated = counts.get(record.operationId)!;
      counts.set(record.operationId, repeated + 1);
      return { ...record, repeated };
    });
}

/** No two records of a workspace share it. */
const placeOf = ({ sequence, ordinal, logicalOperationId }: Placed): string =>
  `${sequence} ${ordinal} ${logicalOperationId}`;

async function takeBackWhatTheyCompensate(
  rows: Rows,
  workspace: WorkspaceName,
  operations: readonly OperationEntity[],
) {
  if (operations.every(({ compensates }) => compensates.length === 0)) return;
  const earlier = await loadCompensated(rows, workspace, operations);
  const changed = takeBack(earlier.values(), operations);
  await rows.setEach(OperationEntity, first(workspace), 'operationId', 'undoneBy', changed);
  const turned = changed.flatMap((row) => {
    const before = earlier.get(row.operationId)!;
    return isLive(row) === isLive(before) ? [] : [{ row, change: isLive(row) ? 1 : -1 }];
  });
  await countLivePaths(rows, workspace, turned);
  for (const [id, change] of sum(turned, ({ row }) => row.logicalOperationId))
    await countLive(rows, workspace, id, change);
}

interface Turned {
  readonly row: Compensable;
  readonly change: number;
}

/** How many paths of an asked operation are live: its parts' and its own. */
async function countLivePaths(rows: Rows, workspace: WorkspaceName, turned: readonly Turned[]): Promise<void> {
  const changes = sum(turned, ({ row }) => row.partOf ?? row.operationId);
  const asked = await rows.findIn(OperationEntity, first(workspace), 'operationId', [...changes.keys()], LIVE_PATHS);
  const counted = asked.map((row) => ({ ...row, livePaths: row.livePaths + changes.get(row.operationId)! }));
  await rows.setEach(OperationEntity, first(workspace), 'operationId', 'livePaths', counted);
}

async function countLive(rows: Rows, workspace: WorkspaceName, id: LogicalOperationId, change: number): Promise<void> {
  const key = { workspace, logicalOperationId: id };
  const row = await rows.one(LogicalOperationEntity, key);
  if (!row) return;
  const undone = row.liveCount + change === 0 ? await rows.find(OperationEntity, key, UNDONE_BY) : [];
  const newest = newestCompensator(undone.flatMap(({ undoneBy }) => undoneBy))?.logical_operation_id ?? null;
  rows.put(LogicalOperationEntity, [withLiveness(row, change, newest)]);
}

/** The changes of all that share a key, added up; what comes to nothing is left out. */
function sum<Key>(turned: readonly Turned[], keyOf: (turned: Turned) => Key): Map<Key, number> {
  const sums = new Map<Key, number>();
  for (const one of turned) sums.set(keyOf(one), (sums.get(keyOf(one)) ?? 0) + one.change);
  return new Map([...sums].filter(([, change]) => change !== 0));
}

/** What the operations take back, what that took back in its time, and so on. */
async function loadCompensated(rows: Rows, workspace: WorkspaceName, from: readonly Compensable[]) {
  const found = new Map<OperationId, Compensable>();
  for (let level = from; level.length > 0;) {
    const wanted = [...new Set(level.flatMap((row) => row.compensates))].filter((id) => !found.has(id));
    level = await rows.findIn(OperationEntity, first(workspace), 'operationId', wanted, COMPENSABLE);
    for (const row of level) found.set(row.operationId, row);
  }
  return found;
}
