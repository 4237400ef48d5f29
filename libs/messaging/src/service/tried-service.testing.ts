import {
  IntentSchema,
  LOG_STREAM,
  INTENT_STREAM,
  MemberAdded,
  PolicyExplain,
  PolicyPublish,
  PolicyShow,
  RetraceError,
  RollbackCompleted,
  type StoredEvent,
} from '@retrace/contracts';
import { type LaneDelivery, type Position, type PositionStore, TerminalError } from '@retrace/event-log';
import { Controller, type DynamicModule, Module } from '@nestjs/common';
import type { CallContext } from '../calls/call-context.js';
import { Answers, OnEvent, OnIntent } from '../transport/decorators.js';
import type { JsMsg } from '@nats-io/jetstream';
import { gate } from './bed.testing.js';
import { publishRejection } from './reject-message.js';
import type { ServiceContext, ServiceDefinition } from './service-definition.js';

type Member = StoredEvent<typeof MemberAdded>;
type Report = StoredEvent<typeof RollbackCompleted>;

/** What the tried service saw, and what it is to do. */
export class Tried implements PositionStore {
  context!: ServiceContext;
  readonly members: Member[] = [];
  readonly reports: Report[] = [];
  readonly intents: string[] = [];
  readonly positions = new Map<string, Position>();
  readonly callers: CallContext['caller'][] = [];
  readonly closed: string[] = [];
  onMember: (event: Member, delivery: LaneDelivery) => Promise<void> = () => Promise.resolve();
  hold = gate();
  waiting = 0;

  load(lane: string): Position | undefined {
    return this.positions.get(lane);
  }

  commit({ lane, position }: LaneDelivery): void {
    this.positions.set(lane, position);
  }
}

/** What the calls do is told by the name that they are given. */
const ANSWERS: Readonly<Record<string, (tried: Tried) => unknown>> = {
  refuse: () => {
    throw new RetraceError('policy_invalid', 'line 3: no', { details: { line: 3 } });
  },
  break: () => {
    throw new TypeError('secret of the house');
  },
  large: () => ({ version: 1, sequence: 1, padding: 'x'.repeat(9 * 1024 * 1024) }),
  wide: () => {
    throw new RetraceError('policy_invalid', 'too many', { details: { all: 'x'.repeat(9 * 1024 * 1024) } });
  },
  circular: () => {
    const details: Record<string, unknown> = {};
    details['self'] = details;
    throw new RetraceError('policy_invalid', 'round', { details });
  },
  shapeless: () => ({ version: 'one' }),
  wait: async (tried) => {
    tried.waiting += 1;
    await tried.hold.passed;
    return { version: 1, sequence: 1 };
  },
};

function moduleOf(tried: Tried): DynamicModule {
  @Controller()
  class Handlers {
    @OnEvent(MemberAdded)
    async member(event: Member, delivery: LaneDelivery): Promise<void> {
      await tried.onMember(event, delivery);
      tried.members.push(event);
      tried.commit(delivery);
    }

    @OnEvent(RollbackCompleted)
    report(event: Report, delivery: LaneDelivery): void {
      tried.reports.push(event);
      tried.commit(delivery);
    }

    @OnIntent()
    intent(message: JsMsg, delivery: LaneDelivery): void {
      const parsed = IntentSchema.safeParse(message.json());
      if (!parsed.success) throw new TerminalError('malformed_intent');
      tried.intents.push(parsed.data.type);
      tried.commit(delivery);
    }

    @Answers(PolicyShow)
    show(_: unknown, { caller, header }: CallContext) {
      tried.callers.push(caller);
      return {
        version: 0,
        name: caller.principal ?? 'a service',
        yaml: header('Retrace-State') ?? '',
        published_by: null,
      };
    }

    @Answers(PolicyPublish)
    publish({ name }: { name: string }): unknown {
      return ANSWERS[name]?.(tried) ?? { version: name.length, sequence: 1 };
    }

    @Answers(PolicyExplain)
    explain(request: unknown) {
      const text = JSON.stringify(request);
      return { allowed: true, rule: '', code: null, message: text, policy_version: 0, canonical: '', tried: [] };
    }
  }
  @Module({ controllers: [Handlers] })
  class TriedModule {}
  return { module: TriedModule };
}

/** A service like any other, under the name and the rights of policy. */
export const triedService = (tried: Tried, lanes = ['18']): ServiceDefinition => ({
  name: 'policy',
  open: (context) => {
    tried.context = context;
    const source = {
      lanes,
      positions: tried,
      onRewind: () => Promise.resolve(),
      backoff: { firstMs: 1, maxMs: 10 },
    };
    const rejected = (stream: string) => async (delivery: LaneDelivery, reason: string, error: unknown) => {
      await publishRejection(context.log, 'policy', delivery, reason, error, stream);
      tried.commit(delivery);
    };
    return Promise.resolve({
      module: moduleOf(tried),
      log: {
        ...source,
        stream: LOG_STREAM,
        filters: ['member.added', 'policy.published', 'rollback.completed'].map(
          (kind) => `retrace.event.*.*.*.${kind}`,
        ),
        laneOf: (subject) => subject.split('.')[2],
        filterOf: (lane) => `retrace.event.${lane}.>`,
        onRejected: rejected(LOG_STREAM),
      },
      intents: {
        ...source,
        stream: INTENT_STREAM,
        filters: ['retrace.intent.>'],
        laneOf: () => 'intents',
        lanes: ['intents'],
        filterOf: () => 'retrace.intent.>',
        verify: false,
        onRejected: rejected(INTENT_STREAM),
      },
      close: () => {
        tried.closed.push('store');
        return Promise.resolve();
      },
    });
  },
});
