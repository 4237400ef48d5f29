import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runFuzz } from './fuzz-run.js';
import { keptCases, KEPT_FILE } from './kept.js';

/** `npm run fuzz -- --count 100000 --seed N`: what fails is kept in `kept.json` and sent first from then on. */
const { values } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string' }, json: { type: 'string' } },
});
const count = Number(values.count ?? 100_000);
const seed = Number(values.seed ?? Date.now() % 1_000_000_007);

console.log(`seed ${seed}, ${count} messages`);
const started = performance.now();
const report = await runFuzz({ count, seed, kept: keptCases(), onProgress: (line) => console.log(line) });
console.log(JSON.stringify({ ...report, failures: report.failures.length }, undefined, 2));
console.log(`${Math.round((performance.now() - started) / 1000)} s`);
for (const { why, case: one } of report.failures.slice(0, 20))
  console.log(`${why}: ${one.as} ${one.subject} ${Buffer.from(one.body, 'base64').toString().slice(0, 2_000)}`);
if (report.failures.length > 0) {
  const kept = JSON.parse(readFileSync(KEPT_FILE, 'utf8')) as unknown[];
  const added = report.failures.slice(0, 5).map((failure) => ({ seed, ...failure }));
  writeFileSync(KEPT_FILE, `${JSON.stringify([...kept, ...added], undefined, 2)}\n`);
  console.log(`kept in ${fileURLToPath(KEPT_FILE)}`);
}
process.exitCode = report.failures.length + report.problems.length > 0 ? 1 : 0;
