import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReferenceServer } from '../sides/reference-server.js';
import { RetraceSide } from '../sides/retrace-side.js';
import type { Settings } from '../settings.js';

/** What the measures share: a folder on one file system, the system under measure, the reference server. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'retrace-bench-'));
  private readonly running: Promise<{ close(): Promise<void> }>[] = [];
  private shared: Promise<RetraceSide> | undefined;
  private server: Promise<ReferenceServer> | undefined;

  constructor(
    readonly settings: Settings,
    /** Says what goes on. */
    readonly say: (what: string) => void,
    private readonly nodeArguments: readonly string[] = [],
  ) {}

  /** The system that most measures run on. */
  retrace(): Promise<RetraceSide> {
    this.shared ??= this.start('retrace', this.nodeArguments);
    return this.shared;
  }

  reference(): Promise<ReferenceServer> {
    this.server ??= this.startReference();
    return this.server;
  }

  /** Another system, of which nothing is known yet. */
  start(name: string, nodeArguments: readonly string[] = []): Promise<RetraceSide> {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    return this.kept(RetraceSide.start(this.settings, folder, nodeArguments));
  }

  /** Ends all that runs; the folder goes. */
  async close(): Promise<void> {
    const ends = await Promise.allSettled(this.running.map(async (one) => (await one.catch(() => undefined))?.close()));
    rmSync(this.folder, { recursive: true, force: true });
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private startReference(): Promise<ReferenceServer> {
    const server = new ReferenceServer(join(this.folder, 'reference'));
    return this.kept(server.start().then(() => server));
  }

  /** Also what is still on its way up is ended at the end. */
  private kept<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
    this.running.push(starting);
    return starting;
  }
}
