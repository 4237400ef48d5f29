export { Bed } from './bed.js';
export { eventually } from './eventually.js';
export { failpointNames } from './failpoint-names.js';
export { pidOfService, processesNaming, processFamily } from './processes.js';
export { type Ended, type Mode, MODES, RetraceSystem } from './retrace-system.js';
export { systemCalls } from './strace.js';
export { treeOf } from './tree.js';
export { addWorkspace, OPEN_POLICY } from './workspace.js';
