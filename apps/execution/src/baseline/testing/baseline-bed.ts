import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BaselineManifest,
  type EventEnvelope,
  type Principal,
  type StoredEvent,
  WorkspaceBaselined,
  WorkspaceRegistered,
} from '@retrace/contracts';
import { deriveId, type EventLog } from '@retrace/event-log';
import { openWorkspaceRoot, StatCache } from '@retrace/workspace-fs';
import { ExecutionStore } from '../../journal/execution-store.js';
import { WORKSPACE } from '../../testing/authorities.js';
import { FileLog } from '../../testing/file-log.js';
import { FolderMap } from '../../testing/folder-map.js';
import { WorkspaceFolder } from '../../testing/workspace-folder.js';
import type { Workspace } from '../../workspaces/workspace.js';
import { BaselineMarks } from '../baseline-marks.js';
import { Baselines } from '../baselines.js';
import { readManifest } from '../manifest.js';
import { MemoryContents } from './memory-contents.js';

/** A workspace whose surroundings outlive the process, and what takes its baseline. */
export class BaselineBed {
  readonly log: EventLog;
  readonly contents: MemoryContents;
  store: ExecutionStore;
  workspace: Workspace;
  baselines: Baselines;

  constructor(readonly folder: WorkspaceFolder = new WorkspaceFolder()) {
    this.log = new FileLog(`${folder.top}/log.jsonl`);
    this.contents = new MemoryContents(new FolderMap(`${folder.top}/blobs`));
    [this.store, this.workspace, this.baselines] = this.open();
  }

  async register(): Promise<void> {
    const by = '_op-local' as Principal;
    const event: EventEnvelope<typeof WorkspaceRegistered> = {
      id: deriveId('evt', 'registered', this.folder.root),
      type: WorkspaceRegistered.type,
      source: 'retrace/execution',
      time: '2025-01-15T14:30:22.000Z',
      workspace: WORKSPACE,
      agent: by,
      data: { root: this.folder.root, host: 'host', registered_by: by },
    };
    await this.log.append(event);
  }

  /** Takes the baseline and waits for it to be done, or to have failed. */
  async take(): Promise<void> {
    this.baselines.start(this.workspace);
    while (this.baselines.progress(WORKSPACE).status === 'running') await sleep(2);
  }

  async events(): Promise<StoredEvent<typeof WorkspaceBaselined>[]> {
    const found: StoredEvent<typeof WorkspaceBaselined>[] = [];
    for await (const event of this.log.read()) if (event.type === WorkspaceBaselined.type) found.push(event);
    return found;
  }

  async manifest(): Promise<BaselineManifest['entries']> {
    const [event] = await this.events();
    return readManifest(WORKSPACE, this.contents.content.get(event!.data.manifest_hash)!).entries;
  }

  async paths(): Promise<string[]> {
    return (await this.manifest()).map(({ path }) => path);
  }

  recorded = (path: string) => this.store.recorded(WORKSPACE, path);

  async restart(): Promise<void> {
    await this.close();
    [this.store, this.workspace, this.baselines] = this.open();
  }

  async close(): Promise<void> {
    await this.baselines.close();
    this.workspace.root.close();
    await this.store.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    this.folder.dispose();
  }

  private open(): [ExecutionStore, Workspace, Baselines] {
    const store = ExecutionStore.open(this.folder.data, 'process');
    const root = openWorkspaceRoot(this.folder.root);
    const workspace = { name: WORKSPACE, root, epoch: 1, cache: new StatCache() };
    const marks = BaselineMarks.open(this.folder.data, 'process');
    return [store, workspace, new Baselines({ store, log: this.log, contents: this.contents, marks })];
  }
}
