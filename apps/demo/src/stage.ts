import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { chooseTargets, type Targets } from './targets.js';
import type { AgentName } from './agents/jobs/job.js';
import { Shadow } from './shadow.js';

export const AGENTS: readonly AgentName[] = ['researcher', 'writer', 'reviewer', 'tester'];

/** Everything that the demo makes lies in one temporary folder: the workspace, what it should be, the system's home. */
export interface Stage {
  readonly folder: string;
  readonly workspace: string;
  readonly original: string;
  readonly home: string;
  readonly policyFile: string;
  readonly targets: Targets;
  readonly shadow: Shadow;
  /** What a person does beside it all: the same file, below the agents' folder, in both trees. */
  personAdds(name: string, text: string): void;
  clear(): void;
}

/** What is installed, or belongs to another Retrace, is not what the story is about. */
const LEFT_BEHIND = new Set(['node_modules', '.retrace']);

const copy = (from: string, to: string): void =>
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    filter: (path) => !LEFT_BEHIND.has(basename(path)),
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
    personAdds: (name, text) => {
      for (const tree of [workspace, shadow.folder]) writeFileSync(join(tree, targets.docs, name), text);
    },
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
    paths: [/${docs}/verdicts/, /${docs}/findings/, /${docs}/checks/]
  - name: tester-tests
    agents: [tester]
    allow: [create]
    paths: [/${docs}/checks/]
  - name: writer-writes
    agents: [writer]
    allow: [create, overwrite, delete, move]
    paths: ['**', '!/${docs}/verdicts/', '!/${docs}/findings/']
  - name: others-keep-out
    agents: [researcher, reviewer, tester]
    deny: [create, overwrite, delete, move]
    paths: ['**']
    reason: only the writer changes what stands here
`;

export const credentialsOf = (home: string, agent: string): { principal: string; user: string; password: string } =>
  JSON.parse(readFileSync(join(home, 'credentials', `${agent}.json`), 'utf8')) as ReturnType<typeof credentialsOf>;

export const busUrl = (home: string): string =>
  (JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8')) as { url: string }).url;
