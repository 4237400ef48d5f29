import { WORKSPACE } from '../scene.js';
import { AGENTS } from '../stage.js';
import type { Chapter } from './chapter.js';

interface Workspaces {
  readonly workspaces: readonly { name: string; baseline: { files: number; bytes: number } | null }[];
}

export const register: Chapter = {
  title: 'a folder becomes a workspace, with its agents',
  async play(scene) {
    const { cli, stage } = scene;
    await cli.text(['workspace', 'add', stage.workspace, '--name', WORKSPACE, '--policy', stage.policyFile]);
    for (const agent of AGENTS) await cli.text(['agent', 'add', agent, '--workspace', WORKSPACE]);
    const { workspaces } = await cli.json<Workspaces>(['workspace', 'list']);
    const baseline = workspaces.find(({ name }) => name === WORKSPACE)?.baseline;
    if (!baseline) throw new Error('the workspace has no baseline');
    scene.expectTree(
      `the system is up: workspace, policy, ${AGENTS.length} agents, ${baseline.files} files kept as they stood`,
    );
  },
};
