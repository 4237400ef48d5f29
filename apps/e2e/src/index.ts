export { type Mode, MODES, RetraceSystem } from './system/retrace-system.js';
