export { executionService } from './service.js';
