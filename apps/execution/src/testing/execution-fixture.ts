import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AuthorizedOperation,
  IntentStale,
  OperationApplied,
  OperationFailed,
  StoredEvent,
} from '@retrace/contracts';
import type { EventLog, Position } from '@retrace/event-log';
import { openWorkspaceRoot, StatCache } from '@retrace/workspace-fs';
import { Logger } from '@nestjs/common';
import type { StageDurability } from '../applying/stage-step.js';
import type { Authority } from '../domain/authority.js';
import { ExecutionStore } from '../journal/execution-store.js';
import { WorkspaceExecutor } from '../workspaces/workspace-executor.js';
import { authorize, requestStep, type Restore, WORKSPACE } from './authorities.js';
import { MemoryBlobs } from './memory-blobs.js';
import { requests } from './requests.js';
import { WorkspaceFolder } from './workspace-folder.js';

export type OutcomeEvent = StoredEvent<typeof OperationApplied | typeof OperationFailed | typeof IntentStale>;
const positionOf = ({ sequence, eventId }: Authority): Position => ({ sequence, eventId });
const isTemporary = (name: string): boolean => !name.includes('.kept-');

/** Refusals and retries are what these specs are about. */
Logger.overrideLogger(['fatal']);

const OUTCOMES = ['retrace.operation.applied.v1', 'retrace.operation.failed.v1', 'retrace.intent.stale.v1'];

/** An executor on a real folder and store. */
export class ExecutionFixture {
  readonly to: ReturnType<typeof requests>;
  store: ExecutionStore;
  executor: WorkspaceExecutor;

  constructor(
    readonly log: EventLog,
    readonly blobs: MemoryBlobs = new MemoryBlobs(),
    readonly folder: WorkspaceFolder = new WorkspaceFolder(),
    private readonly durability: StageDurability = 'process',
  ) {
    this.to = requests(blobs);
    this.store = ExecutionStore.open(this.folder.data, durability);
    this.executor = this.open();
  }

  /** Executes one logical operation and answers its outcome, once the log has it. */
  async run(...operations: readonly AuthorizedOperation[]): Promise<OutcomeEvent> {
    return this.execute(await authorize(this.log, operations));
  }

  async restore(...steps: readonly Restore[]): Promise<OutcomeEvent> {
    return this.execute(await requestStep(this.log, steps));
  }

  async execute(authority: Authority): Promise<OutcomeEvent> {
    await this.start(authority);
    await this.executor.untilKnown('all');
    const found = (await this.outcomes()).find((event) => event.causationid === authority.eventId);
    if (!found) throw new Error('the log has no outcome');
    return found;
  }

  /** Hands them over at once and waits until all have ended. */
  async executeAll(authorities: readonly Authority[]): Promise<void> {
    for (const authority of authorities) await this.executor.take(authority, positionOf(authority));
    await this.executor.drained();
    await this.executor.untilKnown('all');
  }

  start(authority: Authority): Promise<void> {
    return this.executor.execute(authority, positionOf(authority));
  }

  async outcomes(): Promise<OutcomeEvent[]> {
    const found: OutcomeEvent[] = [];
    for await (const event of this.log.read())
      if (OUTCOMES.includes(event.type)) found.push(event as unknown as OutcomeEvent);
    return found;
  }

  /** Waits until nothing rests on the journal or on staging any more, but what is kept for people. */
  async idle(): Promise<void> {
    const rests = () => this.store.records(WORKSPACE).length + this.folder.staged().filter(isTemporary).length;
    for (let tries = 0; tries < 1000 && rests() > 0; tries++) await sleep(5);
    if (rests() > 0) throw new Error(`the journal or staging still holds ${this.folder.staged().join(', ')}`);
  }

  /** As after a restart. */
  async restart(waitMs?: number): Promise<void> {
    await this.executor.close(waitMs);
    await this.store.close();
    this.store = ExecutionStore.open(this.folder.data, this.durability);
    this.executor = this.open();
    this.executor.recover();
  }

  async close(): Promise<void> {
    this.blobs.down = false;
    await this.executor.close();
    await this.store.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    this.folder.dispose();
  }

  private open(): WorkspaceExecutor {
    const root = openWorkspaceRoot(this.folder.root);
    const workspace = { name: WORKSPACE, root, epoch: 1, cache: new StatCache() };
    const { store, log, blobs, durability } = this;
    return new WorkspaceExecutor(workspace, { store, log, blobs, durability });
  }
}
