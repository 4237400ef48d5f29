export { snapshotService } from './service.js';
