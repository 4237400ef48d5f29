import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type EventEnvelope,
  NOBODY,
  partitionOf,
  type StoredEvent,
  WorkspaceBaselined,
  WorkspaceRegistered,
  type WorkspaceName,
} from '@retrace/contracts';
import { appendOnce, deriveId, type EventLog } from '@retrace/event-log';
import { failpoint } from '@retrace/platform';
import type { ExecutionStore } from '../journal/execution-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { BaselineContents } from './baseline-contents.port.js';
import type { BaselineMark } from './baseline-marks.js';
import { type BaselineEntry, BaselineScan } from './baseline-scan.js';
import { readManifest, writeManifest } from './manifest.js';
import { patiently } from './patiently.js';

/** Rows of one transaction. */
const ROWS = 1000;

export interface BaselinePorts {
  readonly store: Pick<ExecutionStore, 'recorded' | 'recordBaseline'>;
  readonly log: EventLog;
  /** Waits by itself for a blob store that is away. */
  readonly contents: BaselineContents;
  /** Told of a log that is away. */
  readonly waits: (error: unknown) => void;
}

type Baselined = StoredEvent<typeof WorkspaceBaselined>;

/**
 * Puts on record what stands in a workspace, once. MUST precede each other: contents stored, manifest stored, event
 * published, rows written. Begun anew after a crash: an event that the log has is not published again, and its manifest
 * tells the rows.
 */
export class Baseline {
  scan: BaselineScan | undefined;

  constructor(
    private readonly workspace: Workspace,
    private readonly ports: BaselinePorts,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<BaselineMark> {
    const known = await patiently(() => this.known(), notAborted, this.signal, this.ports.waits);
    return known.baselined ? this.resume(known.baselined) : this.take(known.registration);
  }

  /** What the log says of the workspace's registration and of its baseline. */
  private async known(): Promise<{ registration: string; baselined?: Baselined }> {
    const { name, root } = this.workspace;
    const filters = [`retrace.event.${partitionOf(name)}.${name}.*.workspace.*`];
    let registration: string | undefined;
    for await (const event of this.ports.log.read({ filters })) {
      if (event.workspace !== name) continue;
      if (isA(event, WorkspaceBaselined)) return { registration: '', baselined: event };
      if (isA(event, WorkspaceRegistered) && event.data.root === root.path) registration ??= event.id;
    }
    return { registration: registration ?? `${name} ${root.path}` };
  }

  private async take(registration: string): Promise<BaselineMark> {
    const scan = new BaselineScan(this.workspace, this.ports.contents, (path) => this.isRecorded(path));
    this.scan = scan;
    await scan.run(this.signal);
    failpoint('baseline.after-contents');
    const entries = scan.entries.filter(({ path }) => !this.isRecorded(path));
    const { hash, content } = await writeManifest(this.workspace.name, entries);
    await this.ports.contents.put(hash, content);
    failpoint('baseline.after-manifest');
    const totals = totalsOf(entries);
    const data = { manifest_hash: hash, manifest_size: content.length, ...totals, ...scan.leftOut };
    const sequence = await appendOnce(this.ports.log, this.event(registration, data), 1, this.signal);
    failpoint('baseline.after-event');
    return this.record(entries, { sequence, files: totals.files, bytes: totals.bytes });
  }

  private async resume({ sequence, data }: Baselined): Promise<BaselineMark> {
    const content = await this.ports.contents.get(data.manifest_hash, data.manifest_size);
    const { entries } = readManifest(this.workspace.name, content);
    return this.record(entries, { sequence, files: data.files, bytes: data.bytes });
  }

  private async record(entries: readonly BaselineEntry[], mark: BaselineMark): Promise<BaselineMark> {
    for (let at = 0; at < entries.length; at += ROWS) {
      this.signal.throwIfAborted();
      this.ports.store.recordBaseline(this.workspace.name, entries.slice(at, at + ROWS), mark.sequence);
      failpoint('baseline.between-rows');
      await nextTurn();
    }
    return mark;
  }

  private isRecorded(path: string): boolean {
    return this.ports.store.recorded(this.workspace.name, path) !== undefined;
  }

  private event(
    registration: string,
    data: EventEnvelope<typeof WorkspaceBaselined>['data'],
  ): EventEnvelope<typeof WorkspaceBaselined> {
    return {
      id: deriveId('evt', 'workspace.baselined', registration),
      type: WorkspaceBaselined.type,
      source: 'retrace/execution',
      time: new Date().toISOString(),
      workspace: this.workspace.name satisfies WorkspaceName,
      agent: NOBODY,
      data,
    };
  }
}

const notAborted = (): boolean => true;

const isA = <D extends typeof WorkspaceBaselined | typeof WorkspaceRegistered>(
  event: StoredEvent,
  definition: D,
): event is StoredEvent<D> => event.type === definition.type;

function totalsOf(entries: readonly BaselineEntry[]) {
  const totals = { files: 0, directories: 0, links: 0, bytes: 0 };
  for (const { state } of entries) {
    if (state.kind === 'directory') totals.directories += 1;
    if (state.kind === 'link') totals.links += 1;
    if (state.kind !== 'file') continue;
    totals.files += 1;
    totals.bytes += state.size;
  }
  return totals;
}
