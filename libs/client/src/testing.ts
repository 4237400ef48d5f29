export { type FakeIntent } from './testing/fake-intent.js';
export { FakeSystem } from './testing/fake-system.js';
export { appliedData, deniedData, failedData, fileState, recordOf, rollbackData } from './testing/outcome-data.js';
