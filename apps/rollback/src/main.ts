import { runServiceMain } from '@retrace/messaging';
import { rollbackService } from './service.js';

await runServiceMain(rollbackService);
