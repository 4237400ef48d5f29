import { runServiceMain } from '@retrace/messaging';
import { projectionService } from './service.js';

await runServiceMain(projectionService);
