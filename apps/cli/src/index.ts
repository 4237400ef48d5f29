export { type CliIo } from './cli-io.js';
export { EXIT, type ExitCode } from './exit-code.js';
export { run } from './run.js';
