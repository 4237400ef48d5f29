import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseTargets, type Targets } from './targets.js';
import { Shadow } from './shadow.js';

/** Everything that the demo makes lies in one temporary folder: the workspace, what it should be, the system's home. */
export interface Stage {
  readonly folder: string;
  readonly workspace: string;
  readonly original: string;
  readonly home: string;
  readonly policyFile: string;
  readonly targets: Targets;
  readonly shadow: Shadow;
  clear(): void;
}

const copy = (from: string, to: string): void =>
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    filter: (path) => !path.endsWith('/.retrace'),
  });

export function setStage(source: string): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-demo-'));
  const [workspace, original, home] = ['workspace', 'original', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  copy(source, workspace);
  copy(workspace, original);
  mkdirSync(home, { mode: 0o700 });
  const targets = chooseTargets(workspace);
  const policyFile = join(folder, 'policy.yaml');
  writeFileSync(policyFile, policyFor(targets.docs));
  const shadow = Shadow.copyOf(workspace, join(folder, 'expected'), targets);
  return {
    folder,
    workspace,
    original,
    home,
    policyFile,
    targets,
    shadow,
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Who may do what: each agent has its place, and only the writer rewrites what others left. */
const policyFor = (docs: string): string => `version: 1
name: demo
rules:
  - name: everybody-reads
    allow: [read]
    paths: ['**']
  - name: researcher-adds-findings
    agents: [researcher]
    allow: [create]
    paths: [/${docs}, /${docs}/findings/]
  - name: reviewer-reviews
    agents: [reviewer]
    allow: [create, overwrite]
    paths: [/${docs}/verdicts/, /${docs}/findings/]
  - name: writer-writes
    agents: [writer]
    allow: [create, overwrite, delete]
    paths: ['**', '!/${docs}/verdicts/', '!/${docs}/findings/']
  - name: others-keep-out
    agents: [researcher, reviewer]
    deny: [create, overwrite, delete, move]
    paths: ['**']
    reason: only the writer changes what stands here
`;

export const credentialsOf = (home: string, agent: string): { principal: string; user: string; password: string } =>
  JSON.parse(readFileSync(join(home, 'credentials', `${agent}.json`), 'utf8')) as ReturnType<typeof credentialsOf>;

export const busUrl = (home: string): string =>
  (JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8')) as { url: string }).url;
