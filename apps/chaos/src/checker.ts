import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const CHECKER = fileURLToPath(new URL('../../../tools/chaos-checker/main.mjs', import.meta.url));

export interface Checked {
  readonly home: string;
  readonly workspace: string;
  readonly root: string;
}

/** Collects the evidence of a running system and judges it. Answers the checker's exit status. */
export async function runChecker(at: Checked, evidence: string, say: (line: string) => void): Promise<number> {
  const where = ['--home', at.home, '--workspace', at.workspace, '--root', at.root];
  const collected = await checker(['collect', ...where, evidence]);
  if (collected.status !== 0) throw new Error(`the evidence could not be collected:\n${collected.output}`);
  const { status, output } = await judge(evidence);
  say(output.trimEnd());
  return status;
}

export const judge = (evidence: string): Promise<Ended> => checker(['check', evidence]);

interface Ended {
  readonly status: number;
  readonly output: string;
}

async function checker(args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [CHECKER, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status: status ?? 1, output };
}
