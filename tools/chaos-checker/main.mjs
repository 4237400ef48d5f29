#!/usr/bin/env node
// Compares what agents were told with what the log, the disk and the blobs say. It shares no code with the services: what
// it knows of the log is docs/spec/log.md.
import { check } from './check.mjs';
import { collect } from './collect.mjs';
import { loadEvidence } from './evidence.mjs';
import { report } from './report.mjs';

const USAGE = `chaos-checker collect --home HOME --workspace NAME --root FOLDER EVIDENCE
    reads the streams, the folder and the blobs of a running system into the folder EVIDENCE, beside EVIDENCE/journals
chaos-checker check EVIDENCE
    judges what was collected; exit 1 where anything was lost, doubled or out of order`;

function options(args) {
  const named = {};
  const plain = [];
  for (let i = 0; i < args.length; i += 1)
    if (args[i].startsWith('--')) named[args[i].slice(2)] = args[(i += 1)];
    else plain.push(args[i]);
  return { named, plain };
}

const [command, ...rest] = process.argv.slice(2);
const { named, plain } = options(rest);
if (command === 'collect' && plain.length === 1 && named.home && named.workspace && named.root)
  await collect({ home: named.home, workspace: named.workspace, root: named.root, folder: plain[0] });
else if (command === 'check' && plain.length === 1) {
  const { findings, figures } = check(loadEvidence(plain[0]));
  process.stdout.write(report(findings, figures));
  process.exitCode = findings.length > 0 ? 1 : 0;
} else {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
}
