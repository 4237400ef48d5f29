import 'reflect-metadata';
import { runServiceMain } from '@retrace/messaging';
import { snapshotService } from './service.js';

await runServiceMain(snapshotService);
