export { rollbackService } from './service.js';
