import type { OpenedService, ServiceContext, ServiceDefinition } from '@retrace/messaging';
import { Logger } from '@nestjs/common';
import { CallOtherTails } from './adapters/calls/call-other-tails.js';
import { CallOutside } from './adapters/calls/call-outside.js';
import { EngineRedactor } from './adapters/engine/engine-redactor.js';
import { JetStreamIntentPurge } from './adapters/jetstream/jetstream-intent-purge.js';
import { JetStreamLogEnds } from './adapters/jetstream/jetstream-log-ends.js';
import { LmdbPolicyStore } from './adapters/lmdb/lmdb-policy-store.js';
import { PolicyAdministration } from './administration/policy-administration.js';
import { PolicyQuestions } from './administration/policy-questions.js';
import { WorkspaceDoor } from './administration/workspace-door.js';
import { timingsFrom } from './configuration.js';
import { DecisionMaker } from './intake/decision-maker.js';
import { DecisionPublisher } from './intake/decision-publisher.js';
import { Deadlines } from './intake/deadlines.js';
import { DoorKeeper } from './intake/door-keeper.js';
import { Intake } from './intake/intake.js';
import { Questions } from './intake/questions.js';
import { Watermark } from './intake/watermark.js';
import { intentSource, LANES, logSource } from './lane-sources.js';
import { PolicyModule } from './policy.module.js';
import type { PolicyStore } from './ports/policy-store.port.js';
import type { TextRedactor } from './ports/redactor.port.js';
import { FoldGate } from './state/fold-gate.js';
import { LogFolder } from './state/log-folder.js';
import { PolicyCatalogue } from './state/policy-catalogue.js';
import { PolicyState } from './state/policy-state.js';
import { TailGate } from './state/tail-gate.js';
import type { PolicyTimings } from './timings.js';

export interface PolicyOptions {
  readonly timings?: Partial<PolicyTimings>;
  readonly redactor?: TextRedactor;
}

/** The one admission door: decides intents, keeps policies and members. */
export const createPolicyService = (options: PolicyOptions = {}): ServiceDefinition => ({
  name: 'policy',
  open: (context) => open(context, options),
});

export const policyService: ServiceDefinition = createPolicyService();

async function open(context: ServiceContext, options: PolicyOptions): Promise<OpenedService> {
  const ends = await JetStreamLogEnds.open(context.connection);
  const store = LmdbPolicyStore.open(context.dataDir, context.durability);
  try {
    return compose(context, options, store, ends);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function compose(
  { connection, calls, log, tail, openIntents }: ServiceContext,
  { timings: changed, redactor = new EngineRedactor() }: PolicyOptions,
  store: PolicyStore,
  ends: JetStreamLogEnds,
): OpenedService {
  const timings = { ...timingsFrom(process.env), ...changed };
  const logger = new Logger('policy');
  const onTrouble = (message: string): void => logger.warn(message);
  const stopping = new AbortController();
  const stop = stopping.signal;
  const state = new PolicyState(store);
  const gate = new FoldGate(state, ends, stop, () => tail.whenWhole());
  const closeAll = (): void => {
    for (const lane of LANES) gate.close(lane);
  };
  const patience = { giveUpMs: timings.factsGiveUpMs, retryMs: timings.retryMs };
  const tails = new TailGate(new CallOtherTails(calls), patience, closeAll, stop);
  const policies = new PolicyCatalogue(state, onTrouble);
  const publisher = new DecisionPublisher(log, stop, onTrouble);
  const questions = new Questions(new CallOutside(calls), state, timings, stop);
  const maker = new DecisionMaker(state, policies, gate, tails, questions, publisher, stop, onTrouble);
  const watermark = new Watermark();
  const keeper = new DoorKeeper(watermark, new JetStreamIntentPurge(connection), timings.purgeEveryMs);
  const intake = new Intake(maker, state, redactor, watermark, keeper, timings);
  const deadlines = new Deadlines(
    (workspace, id) => state.get('logical_operation', [workspace, id]),
    (workspace, id, row) => intake.timeOut(workspace, id, row),
  );
  const folder = new LogFolder(state);
  const door = new WorkspaceDoor(state, gate, stop);
  // Nothing is decided before every lane is folded to the end that the log has now.
  closeAll();
  const lost = (): void => {
    keeper.pause();
    publisher.hold();
    intake.lost();
    tails.lost();
    closeAll();
  };
  watch(connection, lost, () => stopping.abort(new Error('policy is stopping')));
  return {
    module: PolicyModule.with({
      intake,
      folder,
      questions: new PolicyQuestions(door, state, policies),
      administration: new PolicyAdministration(door, state, publisher, stop),
    }),
    log: logSource(store, state, gate, log),
    intents: intentSource(state, intake, log),
    afterStart: async () => {
      publisher.startAt(await log.lastSequence());
      await Promise.all(LANES.map((lane) => gate.open(lane)));
      resume({ state, folder, intake, deadlines });
      await openIntents();
    },
    close: async () => {
      stopping.abort(new Error('policy is stopping'));
      keeper.pause();
      deadlines.close();
      await intake.settled();
      await store.close();
    },
  };
}

interface Resumed {
  readonly state: PolicyState;
  readonly folder: LogFolder;
  readonly intake: Intake;
  readonly deadlines: Deadlines;
}

/** What the log says must be decided again or ended in time, and whatever it says so of from here on. */
function resume({ state, folder, intake, deadlines }: Resumed): void {
  folder.passOn(
    (workspace, row) => intake.redecide(workspace, row),
    (workspace, id, row) => deadlines.watch(workspace, id, row),
  );
  for (const { workspace, id, row } of state.openOperations()) deadlines.watch(workspace, id, row);
  for (const { workspace, row } of state.staleIntents()) intake.redecide(workspace, row);
}

/** A connection that is gone for good ends every wait; one that comes back may lead to another stream. */
function watch(connection: ServiceContext['connection'], lost: () => void, end: () => void): void {
  void connection.closed().then(end);
  void (async () => {
    for await (const status of connection.status()) if (status.type === 'disconnect') lost();
  })();
}
