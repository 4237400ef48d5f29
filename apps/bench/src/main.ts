import { writeFileSync } from 'node:fs';
import { runBench } from './run-bench.js';
import { parseSettings, USAGE } from './settings.js';
import { render } from './statistics/report.js';

const say = (what: string): unknown => process.stderr.write(`${what}\n`);

try {
  const settings = parseSettings(process.argv.slice(2));
  if (settings.help) process.stdout.write(`${USAGE}\n`);
  else {
    const interrupted = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));
    const report = await runBench(settings, say, interrupted.signal);
    process.stdout.write(render(report));
    if (settings.json !== undefined) writeFileSync(settings.json, `${JSON.stringify(report, null, 2)}\n`);
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
