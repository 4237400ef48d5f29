export { MemoryEventLog } from './adapters/memory/memory-event-log.js';
export { eventLogContract } from './event-log.contract.js';
export { aLargeEvent } from './pages/large-event.js';
