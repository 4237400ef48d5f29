export * as given from './testing/events.js';
export { ann, bob, id, operator, stored, ws } from './testing/stored.js';
export { dump } from './testing/dump.js';
export { laneOf, TemporaryModels } from './testing/temporary-models.js';
