import 'reflect-metadata';
import { retraceHome, runSystem } from '@retrace/messaging';
import { startCluster } from './cluster.js';
import { parseEnvironment } from './environment.js';

await runSystem('cluster', () => startCluster({ home: retraceHome(), ...parseEnvironment(process.env) }));
