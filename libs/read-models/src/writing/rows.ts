import type { WorkspaceName } from '@retrace/contracts';
import type { EntityManager, EntityTarget, FindOptionsSelect, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/** Rows per statement: SQLite binds at most 32,766 values. */
const CHUNK = 500;

/** SQLite ends a text at a NUL where it is read; agents' text may hold one. Its picture stands for it, in keys too. */
const NUL = '\0';
const NUL_PICTURE = '\u2400';

/** The rows of one transaction: pure folds go in, TypeORM stays here. */
export class Rows {
  constructor(private readonly manager: EntityManager) {}

  /** Puts the row with this key through a fold; what the fold gives back as it was is not written. */
  async change<E extends ObjectLiteral>(
    entity: EntityTarget<E>,
    key: FindOptionsWhere<E>,
    fold: (row: E | undefined) => E | undefined,
  ): Promise<void> {
    const row = await this.one(entity, key);
    const next = fold(row);
    if (next !== undefined && next !== row) await this.put(entity, [next]);
  }

  async one<E extends ObjectLiteral>(entity: EntityTarget<E>, key: FindOptionsWhere<E>): Promise<E | undefined> {
    return (await this.manager.findOneBy(entity, storable(key))) ?? undefined;
  }

  find<E extends ObjectLiteral>(
    entity: EntityTarget<E>,
    where: FindOptionsWhere<E>,
    select: FindOptionsSelect<E>,
  ): Promise<E[]> {
    return this.manager.find(entity, { where: storable(where), select });
  }

  /** Writes rows over those with the same keys. */
  async put<E extends ObjectLiteral>(entity: EntityTarget<E>, rows: readonly E[]): Promise<void> {
    const keys = this.manager.connection.getMetadata(entity).primaryColumns.map((column) => column.propertyName);
    for (const some of chunks(rows)) await this.manager.upsert(entity, some.map(storable), keys);
  }

  /** Writes rows whose keys are new; the others stay as they are. */
  async add<E extends ObjectLiteral>(entity: EntityTarget<E>, rows: readonly E[]): Promise<void> {
    for (const some of chunks(rows)) {
      const values = some.map(storable) as QueryDeepPartialEntity<E>[];
      await this.manager.createQueryBuilder().insert().into(entity).values(values).orIgnore().execute();
    }
  }

  /** Changes some columns of the rows that `where` finds; answers how many. */
  async set<E extends ObjectLiteral>(
    entity: EntityTarget<E>,
    where: FindOptionsWhere<E>,
    values: QueryDeepPartialEntity<E>,
  ): Promise<number> {
    return (await this.manager.update(entity, storable(where), storable(values))).affected ?? 0;
  }

  async remove<E extends ObjectLiteral>(entity: EntityTarget<E>, where: FindOptionsWhere<E>): Promise<void> {
    await this.manager.delete(entity, storable(where));
  }

  /** The workspaces that have rows in a table. */
  async workspacesIn<E extends ObjectLiteral>(entity: EntityTarget<E>): Promise<WorkspaceName[]> {
    const query = this.manager.createQueryBuilder(entity, 'row').select('row.workspace', 'workspace').distinct();
    return (await query.getRawMany<{ workspace: WorkspaceName }>()).map(({ workspace }) => workspace);
  }
}

/** The row as SQLite can hold it. JSON columns need nothing: there a NUL is written as an escape, and comes back whole. */
function storable<T extends object>(row: T): T {
  const changed = Object.entries(row).filter(([, value]) => typeof value === 'string' && value.includes(NUL));
  if (changed.length === 0) return row;
  const pictures = changed.map(([name, value]) => [name, (value as string).replaceAll(NUL, NUL_PICTURE)]);
  return { ...row, ...(Object.fromEntries(pictures) as Partial<T>) };
}

const chunks = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, at) => rows.slice(at * CHUNK, (at + 1) * CHUNK));
