export * as given from './testing/events.js';
export { ann, bob, id, operator, stored, ws } from './testing/stored.js';
export { dump } from './testing/dump.js';
export { EVERY_EVENT } from './testing/every-event.js';
export { findPostgres, postgresIsSkipped } from './testing/find-postgres.js';
export { onEachDatabase } from './testing/on-each-database.js';
export { PostgresServer } from './testing/postgres-server.js';
export { laneOf, TemporaryModels } from './testing/temporary-models.js';
