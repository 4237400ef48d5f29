import { realpathSync } from 'node:fs';
import { LOG_STREAM, parseEventSubject, partitionOf } from '@retrace/contracts';
import { type LaneSource, publishRejection, type ServiceContext, type ServiceDefinition } from '@retrace/messaging';
import { BaselineMarks } from './baseline/baseline-marks.js';
import { Baselines } from './baseline/baselines.js';
import { BusBaselineContents } from './baseline/bus-baseline-contents.js';
import { BusBlobs } from './adapters/bus/bus-blobs.js';
import { ExecutionModule } from './execution.module.js';
import { ExecutionStore } from './journal/execution-store.js';
import { ReadGate } from './reading/read-gate.js';
import { WorkspaceRegistry } from './workspaces/workspace-registry.js';

const READ = ['intent.authorized', 'intent.denied', 'rollback.step_requested', 'policy.published', 'member.added'];

/** A lane per workspace under care; other hosts' workspaces are passed by. */
function lanes({ log, name }: ServiceContext, store: ExecutionStore, registry: WorkspaceRegistry): LaneSource {
  return {
    stream: LOG_STREAM,
    filters: READ.map((event) => `retrace.event.*.*.*.${event}`),
    lanes: store.workspaceRows().flatMap(({ name: workspace }) => (registry.has(workspace) ? [workspace] : [])),
    laneOf: (subject) => {
      const workspace = parseEventSubject(subject)?.workspace;
      return workspace !== undefined && registry.has(workspace) ? workspace : undefined;
    },
    filterOf: (workspace) => `retrace.event.${partitionOf(workspace)}.${workspace}.>`,
    // What was read but is not in the journal yet moved no position: the reader learns its own once that is decided.
    positions: {
      load: async (workspace) => {
        await registry.drained(workspace);
        return store.positions.load(workspace);
      },
      trail: (workspace) => store.positions.trail(workspace),
    },
    onRejected: async (delivery, reason, error) => {
      await publishRejection(log, name, delivery, reason, error);
      const workspace = parseEventSubject(delivery.message.subject)?.workspace;
      if (!workspace) return;
      await registry.drained(workspace);
      store.passBy(workspace, delivery.position);
    },
    onRewind: (workspace, lastMatching) => {
      store.rewind(workspace, lastMatching);
      return Promise.resolve();
    },
  };
}

/** The only writer of workspaces: journal, atomic apply, facts and reads. */
export const executionService: ServiceDefinition = {
  name: 'execution',
  open: async (context) => {
    const { dataDir, durability, log, calls, tail } = context;
    const store = ExecutionStore.open(dataDir, durability);
    const blobs = new BusBlobs(calls);
    const contents = new BusBaselineContents(calls, blobs);
    const baselines = new Baselines({ store, log, contents, marks: BaselineMarks.open(dataDir, durability) });
    const taken = (workspace: string): void => {
      context.addLane(workspace);
      baselines.start(registry.find(workspace).workspace);
    };
    const ports = { store, log, blobs, durability };
    const registry = new WorkspaceRegistry(ports, taken, [realpathSync(context.home)]);
    try {
      registry.openAll();
    } catch (error) {
      await baselines.close();
      await registry.close();
      await store.close();
      throw error;
    }
    return {
      module: ExecutionModule.register({ store, registry, gate: new ReadGate(store, log), baselines, tail }),
      log: lanes(context, store, registry),
      afterStart: async () => baselines.startAll(registry.workspaces()),
      problems: () => [...registry.problems(), ...baselines.problems()],
      settle: async () => void (await Promise.all([baselines.halt(), registry.settle()])),
      close: async () => {
        await baselines.close();
        await registry.close();
        await store.close();
      },
    };
  },
};
