import { LANE_ENTITIES, WORKSPACE_ENTITIES } from '../read-model-database.js';
import type { ReadModels } from '../read-models.js';

/** All rows of all tables in an order of their own: equal for equal content, however it came about. */
export function dump(models: ReadModels): Promise<Record<string, string[]>> {
  return models.transaction(async (manager) => {
    const tables: Record<string, string[]> = {};
    for (const entity of [...WORKSPACE_ENTITIES, ...LANE_ENTITIES]) {
      const { tableName } = manager.connection.getMetadata(entity);
      const rows: unknown[] = await manager.query(`SELECT * FROM "${tableName}"`);
      tables[tableName] = rows.map((row) => JSON.stringify(row)).toSorted();
    }
    return tables;
  });
}
