export { projectionService } from './service.js';
