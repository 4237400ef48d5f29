import { realpathSync } from 'node:fs';
import { LOG_STREAM, parseEventSubject, partitionOf } from '@retrace/contracts';
import { type LaneSource, publishRejection, type ServiceContext, type ServiceDefinition } from '@retrace/messaging';
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
    positions: store.positions,
    onRejected: async (delivery, reason, error) => {
      await publishRejection(log, name, delivery, reason, error);
      const workspace = parseEventSubject(delivery.message.subject)?.workspace;
      if (workspace) store.passBy(workspace, delivery.position);
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
    const { dataDir, durability, log, calls } = context;
    const store = ExecutionStore.open(dataDir, durability);
    const ports = { store, log, blobs: new BusBlobs(calls), durability };
    const registry = new WorkspaceRegistry(ports, context.addLane, [realpathSync(context.home)]);
    try {
      registry.openAll();
    } catch (error) {
      await registry.close();
      await store.close();
      throw error;
    }
    return {
      module: ExecutionModule.register({ store, registry, gate: new ReadGate(store, log) }),
      log: lanes(context, store, registry),
      problems: () => registry.problems(),
      settle: () => registry.settle(),
      close: async () => {
        await registry.close();
        await store.close();
      },
    };
  },
};
