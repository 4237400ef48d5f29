import 'reflect-metadata';
import { runServiceMain } from '@retrace/messaging';
import { executionService } from './service.js';

await runServiceMain(executionService);
