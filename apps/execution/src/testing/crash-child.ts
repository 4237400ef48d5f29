import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { BlobHash } from '@retrace/contracts';
import type { Authority } from '../domain/authority.js';
import { ExecutionFixture } from './execution-fixture.js';
import { FileLog } from './file-log.js';
import { FolderMap } from './folder-map.js';
import { MemoryBlobs } from './memory-blobs.js';
import { WorkspaceFolder } from './workspace-folder.js';

/** What the process that dies is to do. */
export interface CrashWork {
  readonly authority: Authority;
  /** Handed over at once with the first. */
  readonly others?: readonly Authority[];
  /** Somebody puts a file there, or opens it for writing, while this content is fetched. */
  readonly obstacle?: { readonly during: BlobHash; readonly path: string };
}

/** An executor all of whose surroundings outlive it. */
export const lastingFixture = (top: string): ExecutionFixture =>
  new ExecutionFixture(
    new FileLog(`${top}/log.jsonl`),
    new MemoryBlobs(new FolderMap(`${top}/blobs`)),
    new WorkspaceFolder(top),
  );

/** Whoever opened it is gone when this process is. */
function getInTheWay(file: string): void {
  if (existsSync(file)) openSync(file, 'r+');
  else writeFileSync(file, 'in the way', { mode: 0o644 });
}

/** Recovers, does the work and waits until nothing rests on the journal: as a process that is not killed. */
export async function runCrashWork(top: string): Promise<void> {
  const { authority, others, obstacle } = JSON.parse(readFileSync(`${top}/work.json`, 'utf8')) as CrashWork;
  const x = lastingFixture(top);
  x.blobs.onGet = (hash) => {
    if (obstacle?.during === hash) getInTheWay(x.folder.full(obstacle.path));
  };
  x.executor.recover();
  await (others ? x.executeAll([authority, ...others]) : x.execute(authority));
  await x.idle();
  await x.close();
}
