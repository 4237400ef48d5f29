import { runServiceMain } from '@retrace/messaging';
import { policyService } from './service.js';

await runServiceMain(policyService);
