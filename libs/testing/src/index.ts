export { Bed } from './bed.js';
export { eventually } from './eventually.js';
export { failpointNames } from './failpoint-names.js';
export { pidOfService, processesNaming } from './processes.js';
export { type Ended, type Mode, MODES, RetraceSystem } from './retrace-system.js';
export { treeOf } from './tree.js';
export { addWorkspace } from './workspace.js';
