import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RetraceSystem } from './retrace-system.js';

/** Lets every agent do everything outside the protected domain. */
export const OPEN_POLICY = `version: 1
name: open
rules:
  - name: everything
    allow: [read, create, overwrite, delete, move]
    paths: ['**']
`;

/** Makes a folder with these files a workspace under care, with agents. Answers the folder. */
export async function addWorkspace(
  system: RetraceSystem,
  name: string,
  files: Readonly<Record<string, string>>,
  agents: readonly string[],
  policy = OPEN_POLICY,
): Promise<string> {
  const folder = join(system.folder, name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  mkdirSync(folder, { recursive: true });
  const policyFile = join(system.folder, `${name}.yaml`);
  writeFileSync(policyFile, policy);
  await system.must('workspace', 'add', folder, '--name', name, '--policy', policyFile);
  for (const agent of agents) await system.must('agent', 'add', agent, '--workspace', name);
  return folder;
}
