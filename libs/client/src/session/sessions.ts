import type { OpenSessionIntent, SessionId } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { ContentStore } from '../content/content-store.js';
import type { IntentOptions } from '../intents/intent-options.js';
import type { IntentSender } from '../intents/intent-sender.js';
import { type Change, SessionMemory } from '../memory/session-memory.js';
import { present } from '../operations.js';
import type { Files } from '../reading/files.js';
import type { Rollbacks } from '../rollback/rollbacks.js';
import { CallOrder } from './call-order.js';
import { SessionCore } from './session-core.js';
import { Session } from './session.js';

export interface SessionOptions {
  /** `false`: nothing is expected but what a call says itself. */
  readonly remember?: boolean | undefined;
}

export interface OpenSessionOptions extends IntentOptions, SessionOptions {
  /** What the session is for, in the agent's words. */
  readonly task: string;
  readonly conversationId?: string | undefined;
  readonly model?: { readonly id: string; readonly version?: string } | undefined;
  /** Of a session whose opening is unknown, to open it again. */
  readonly sessionId?: SessionId | undefined;
}

/** The sessions of a connection. Every handle on one session shares its memory and its order. */
export class Sessions {
  private readonly cores = new Map<SessionId, SessionCore>();

  constructor(
    private readonly sender: IntentSender,
    private readonly store: ContentStore,
    private readonly files: Files,
  ) {}

  async open(options: OpenSessionOptions, rollbacks: Rollbacks): Promise<Session> {
    const { task, conversationId, model, sessionId = newId('ses'), intentId = newId('int'), traceparent } = options;
    const intent: OpenSessionIntent = {
      type: 'session.open',
      intent_id: intentId,
      session_id: sessionId,
      task,
      ...present({ conversation_id: conversationId, model, traceparent }),
    };
    await this.sender.submit(intent, options);
    return this.get(sessionId, options, rollbacks);
  }

  get(id: SessionId, { remember = true }: SessionOptions, rollbacks: Rollbacks): Session {
    return new Session(this.core(id, remember), this.files, rollbacks);
  }

  /** A change that may reach what any of the sessions remembers. */
  beginAnywhere(): Change {
    const changes = [...this.cores.values()].map(({ memory }) => memory.beginAnywhere());
    return {
      expected: [],
      ended: (end) => changes.forEach((change) => change.ended(end)),
      notSent: () => changes.forEach((change) => change.notSent()),
    };
  }

  private core(id: SessionId, remember: boolean): SessionCore {
    const known = this.cores.get(id);
    if (known?.memory.enabled === remember) return known;
    const core = new SessionCore(id, this.sender, new SessionMemory(remember), this.store, new CallOrder());
    this.cores.set(id, core);
    return core;
  }
}
