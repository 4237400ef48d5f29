import { rowsOf } from '../canonical-hash.js';
import { LANE_ENTITIES, WORKSPACE_ENTITIES } from '../read-model-database.js';
import type { ReadModelReader } from '../read-models.js';

/** All rows of all tables, by table: equal for equal content, however it came about. */
export function dump(models: ReadModelReader): Promise<Record<string, string[]>> {
  return models.read(async (manager) => {
    const tables: Record<string, string[]> = {};
    for (const entity of [...WORKSPACE_ENTITIES, ...LANE_ENTITIES]) {
      const rows: string[] = [];
      for await (const row of rowsOf(manager, entity)) rows.push(row);
      tables[manager.connection.getMetadata(entity).tableName] = rows;
    }
    return tables;
  });
}
