import type { FsBaseline, WorkspaceName } from '@retrace/contracts';
import type { EventLog } from '@retrace/event-log';
import { Logger } from '@nestjs/common';
import type { z } from 'zod';
import type { ExecutionStore } from '../journal/execution-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { Baseline } from './baseline.js';
import type { BaselineContents } from './baseline-contents.port.js';
import type { BaselineMarks } from './baseline-marks.js';
import { PatientContents } from './patient-contents.js';

export type BaselineProgress = z.infer<typeof FsBaseline.reply>;

export interface BaselinesParts {
  readonly store: ExecutionStore;
  readonly log: EventLog;
  readonly contents: BaselineContents;
  readonly marks: BaselineMarks;
}

interface Run {
  baseline?: Baseline;
  status: 'running' | 'failed';
  message: string | null;
}

/** Takes baselines in the background, one workspace after another, of each that has none on record. */
export class Baselines {
  private readonly runs = new Map<string, Run>();
  private readonly stop = new AbortController();
  private readonly logger = new Logger('execution');
  private tail: Promise<void> = Promise.resolve();

  constructor(private readonly parts: BaselinesParts) {}

  /** Begins, unless it is done or under way. */
  start(workspace: Workspace): void {
    const { name } = workspace;
    if (this.stop.signal.aborted || this.parts.marks.get(name) || this.runs.get(name)?.status === 'running') return;
    const run: Run = { status: 'running', message: null };
    this.runs.set(name, run);
    this.tail = this.tail.then(() => this.take(workspace, run));
  }

  progress(name: WorkspaceName): BaselineProgress {
    const mark = this.parts.marks.get(name);
    if (mark) return { status: 'done', files: mark.files, bytes: mark.bytes, found: mark.files, message: null };
    const run = this.runs.get(name);
    const { files = 0, bytes = 0, found = 0 } = run?.baseline?.scan ?? {};
    return { status: run?.status ?? 'none', files, bytes, found, message: run?.message ?? null };
  }

  /** What does not work, a line each. */
  problems(): string[] {
    return [...this.runs].flatMap(([name, { status, message }]) =>
      status === 'failed' ? [`the baseline of workspace ${name} failed: ${message}`] : [],
    );
  }

  /** Begins with all of these. */
  startAll(workspaces: Iterable<Workspace>): void {
    for (const workspace of workspaces) this.start(workspace);
  }

  /** Resolves when nothing runs any more: no handle of a workspace is in use after it. What is not done begins again. */
  async halt(): Promise<void> {
    this.stop.abort();
    await this.tail;
  }

  async close(): Promise<void> {
    await this.halt();
    await this.parts.marks.close();
  }

  private async take(workspace: Workspace, run: Run): Promise<void> {
    const { signal } = this.stop;
    const waits = (error: unknown): void => this.waits(workspace.name, run, error);
    const contents = new PatientContents(this.parts.contents, signal, waits);
    run.baseline = new Baseline(workspace, { ...this.parts, contents, waits }, signal);
    try {
      signal.throwIfAborted();
      this.parts.marks.put(workspace.name, await run.baseline.run());
      this.runs.delete(workspace.name);
    } catch (error) {
      if (signal.aborted) return;
      run.status = 'failed';
      run.message = `${describe(error)}; it is tried again at the next start: retrace down, retrace up`;
      this.logger.error(`the baseline of workspace ${workspace.name} failed: ${describe(error)}`);
    }
  }

  private waits(name: WorkspaceName, run: Run, error: unknown): void {
    run.message = error === undefined ? null : `waiting: ${describe(error)}`;
    if (error === undefined) return;
    this.logger.warn(`the baseline of workspace ${name} waits: ${describe(error)}`);
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
