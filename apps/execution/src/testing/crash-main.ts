import { runCrashWork } from './crash-child.js';

await runCrashWork(process.argv[2]!);
