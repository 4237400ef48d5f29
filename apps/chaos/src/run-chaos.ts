import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addWorkspace, RetraceSystem } from '@retrace/testing';
import { AgentProcess } from './agent-process.js';
import { runChecker } from './checker.js';
import { type Kill, Killer } from './killer.js';
import type { ChaosOptions } from './options.js';
import { Random } from './random.js';
import { atRest } from './at-rest.js';

const WORKSPACE = 'chaos';
const AGENTS = ['ada', 'bob', 'cyd'];
const SHARED = Array.from({ length: 6 }, (_, i) => `shared/s${i}.md`);

/** Runs chaos and judges it. Answers an exit status. */
export async function runChaos(options: ChaosOptions, say: (line: string) => void): Promise<number> {
  const { mode, minutes, seed } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'retrace-chaos-'));
  mkdirSync(join(folder, 'evidence', 'journals'), { recursive: true });
  say(`chaos: ${minutes} min, ${mode}, seed ${seed}, in ${folder}`);
  const system = new RetraceSystem(mode, folder);
  let status = 1;
  try {
    await system.start();
    const root = await addWorkspace(system, WORKSPACE, filesAtFirst(), AGENTS);
    const kills = await work(system, options);
    say(kills.map(({ victim }) => victim).join(' '));
    say(`kills ${kills.length}`);
    writeFileSync(join(folder, 'kills.json'), `${JSON.stringify(kills, null, 1)}\n`);
    await atRest(system, WORKSPACE);
    status = await runChecker({ home: system.home.folder, workspace: WORKSPACE, root }, join(folder, 'evidence'), say);
  } finally {
    if (status === 0 && !options.keep) await system.dispose();
    else {
      await system.end();
      say(`left for a look: ${folder}`);
    }
  }
  return status;
}

/** Lets agents work and the killer kill, then stops the killer before the agents, so that they can finish. */
async function work(system: RetraceSystem, { minutes, seed }: ChaosOptions): Promise<readonly Kill[]> {
  const agents = AGENTS.map((name, i) =>
    AgentProcess.start({
      url: system.url,
      credentialsFile: join(system.home.credentials, `${name}.json`),
      workspace: WORKSPACE,
      agent: name,
      seed: seed * 10 + i,
      shared: SHARED,
      journal: join(system.folder, 'evidence', 'journals', `${name}.jsonl`),
    }),
  );
  try {
    await Promise.all(agents.map((agent) => agent.ready));
    return await killWhile(system, new Random(seed), minutes * 60_000, agents);
  } finally {
    for (const agent of agents) agent.kill();
  }
}

async function killWhile(
  system: RetraceSystem,
  random: Random,
  ms: number,
  agents: readonly AgentProcess[],
): Promise<readonly Kill[]> {
  const killer = new Killer(system, random);
  const killing = killer.run();
  await Promise.race([sleep(ms), ...agents.map((agent) => agent.ended), killing]);
  killer.stop();
  await killing;
  for (const agent of agents) agent.stop();
  await Promise.all(agents.map((agent) => agent.ended));
  return killer.kills;
}

function filesAtFirst(): Record<string, string> {
  const files: Record<string, string> = { 'README.md': '# Chaos\n' };
  for (const path of SHARED) files[path] = `${path}\nv [[first ${path}]]\n`;
  for (const agent of AGENTS) files[`${agent}/first.md`] = `${agent}\nv [[first ${agent}]]\n`;
  return files;
}
