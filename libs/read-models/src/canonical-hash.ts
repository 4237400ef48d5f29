import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { LANE_ENTITIES, WORKSPACE_ENTITIES } from './read-model-database.js';
import type { ReadModelReader } from './read-models.js';

/** Rows that are read at once. */
const STEP = 1000;

/**
 * A sha256 over all rows of all tables in an order of their own: equal for equal content, in whatever database it lies and
 * however it came there.
 */
export function canonicalHash(models: ReadModelReader): Promise<string> {
  return models.read(async (manager) => {
    const hash = createHash('sha256');
    for (const entity of [...WORKSPACE_ENTITIES, ...LANE_ENTITIES])
      for await (const row of rowsOf(manager, entity)) hash.update(`${entity.name} ${row}\n`);
    return hash.digest('hex');
  });
}

type AnyEntity = (typeof WORKSPACE_ENTITIES)[number] | (typeof LANE_ENTITIES)[number];

/** Each row of a table as JSON, in the order of its key; columns by name. */
export async function* rowsOf(manager: EntityManager, entity: AnyEntity): AsyncGenerator<string> {
  const { tablePath, columns, primaryColumns } = manager.connection.getMetadata(entity);
  const table = tablePath.replaceAll('.', '"."');
  const names = columns.map(({ databaseName }) => databaseName).toSorted();
  const keys = primaryColumns.map(({ databaseName }) => `"${databaseName}"`).join(', ');
  const text = `SELECT ${names.map((name) => `"${name}"`).join(', ')} FROM "${table}" ORDER BY ${keys}`;
  for (let from = 0; ; from += STEP) {
    const rows = await manager.query<Record<string, unknown>[]>(`${text} LIMIT ${STEP} OFFSET ${from}`);
    for (const row of rows) yield JSON.stringify(Object.fromEntries(names.map((name) => [name, row[name]])));
    if (rows.length < STEP) return;
  }
}
