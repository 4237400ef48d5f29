import 'reflect-metadata';
import { retraceHome, runSystem } from '@retrace/messaging';
import { parseEnvironment } from './environment.js';
import { startStandalone } from './standalone.js';

await runSystem('standalone', () => startStandalone({ home: retraceHome(), ...parseEnvironment(process.env) }));
