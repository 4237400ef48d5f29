import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type CrashWork, lastingFixture } from './crash-child.js';
import type { CrashScenario } from './crash-scenarios.js';
import type { ExecutionFixture, OutcomeEvent } from './execution-fixture.js';
import { WorkspaceFolder } from './workspace-folder.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');

export interface Prepared extends CrashWork {
  readonly top: string;
  readonly before: Record<string, string>;
}

/** Kills executors in processes of their own, and looks at what the next one makes of it. */
export class CrashRunner {
  /** Failpoints that killed a process. */
  readonly hit = new Set<string>();
  private readonly tops: string[] = [];

  /** The process runs what is built. */
  static build(): void {
    const tsc = path.resolve(PROJECT, '../../node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-b', 'tsconfig.lib.json'], { cwd: PROJECT, env: {}, stdio: 'inherit' });
  }

  /**
   * Every name in the code, so that a new one is tried without anybody thinking of it. The baseline has its own spec,
   * and a workspace is registered in the matrix of the whole system alone.
   */
  static failpoints(): string[] {
    const files = fs.readdirSync(`${PROJECT}/src`, { recursive: true, encoding: 'utf8' });
    const sources = files.filter(
      (file) => file.endsWith('.ts') && !file.endsWith('spec.ts') && !/^baseline\/|-registry\.ts$/.test(file),
    );
    const names = sources.flatMap((file) => [
      ...fs.readFileSync(`${PROJECT}/src/${file}`, 'utf8').matchAll(/\bfailpoint\('([^']+)'\)/g),
    ]);
    return [...new Set(names.map(([, name]) => name!))];
  }

  async prepare(scenario: CrashScenario): Promise<Prepared> {
    const { top } = new WorkspaceFolder();
    this.tops.push(top);
    const x = lastingFixture(top);
    const work = await scenario.prepare(x);
    fs.writeFileSync(`${top}/work.json`, JSON.stringify(work));
    const before = x.folder.tree();
    await x.close();
    return { ...work, top, before };
  }

  /** A copy for each case, so that one death is enough for several. */
  copied(prepared: Prepared): Prepared {
    const { top } = new WorkspaceFolder();
    this.tops.push(top);
    fs.rmSync(top, { recursive: true });
    execFileSync('cp', ['-a', prepared.top, top]); // hard links stay what they are
    return { ...prepared, top };
  }

  /** Runs it in a process of its own; answers whether that was killed. */
  runUntil(top: string, failpoint: string | undefined): boolean {
    const { signal, status, stderr } = spawnSync(process.execPath, [`${PROJECT}/dist/testing/crash-main.js`, top], {
      env: failpoint === undefined ? {} : { RETRACE_FAILPOINT: failpoint },
      encoding: 'utf8',
    });
    if (signal !== 'SIGKILL' && status !== 0) throw new Error(stderr);
    if (signal === 'SIGKILL' && failpoint !== undefined) this.hit.add(failpoint.split(':')[0]!);
    return signal === 'SIGKILL';
  }

  /** The next process: recovers, and is given the authority once more. */
  async recovered(
    { top, authority }: Prepared,
    check: (x: ExecutionFixture, outcome: OutcomeEvent) => Promise<void> | void,
  ): Promise<void> {
    const x = lastingFixture(top);
    try {
      x.executor.recover();
      const outcome = await x.execute(authority);
      await x.idle();
      await check(x, outcome);
    } finally {
      await x.close();
    }
  }

  /** The tree that the scenario ends with when nobody dies and nobody is in the way. */
  async cleanRun(scenario: CrashScenario): Promise<Record<string, string>> {
    const { top, authority } = await this.prepare(scenario);
    fs.writeFileSync(`${top}/work.json`, JSON.stringify({ authority }));
    if (this.runUntil(top, undefined)) throw new Error('killed');
    return new WorkspaceFolder(top).tree();
  }

  dispose(): void {
    for (const top of this.tops) fs.rmSync(top, { recursive: true, force: true });
  }
}

/** The paths that an outcome asks people to look at. */
export function attentionOf(outcome: OutcomeEvent): string[] {
  if (outcome.type !== 'retrace.operation.failed.v1') return [];
  return outcome.data.needs_attention.map((one) => one.path);
}
