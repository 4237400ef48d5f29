import { eventLogContract } from '../../event-log.contract.js';
import { MemoryEventLog } from './memory-event-log.js';

eventLogContract('MemoryEventLog', () => Promise.resolve(new MemoryEventLog()));
