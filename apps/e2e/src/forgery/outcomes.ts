import { eventually } from '@retrace/testing';
import type { Msg } from '@nats-io/transport-node';
import type { Headers, PlainClient } from './plain-client.js';

export interface Outcome {
  /** `entity.verb` of the event. */
  readonly type: string;
  readonly code: string | undefined;
  readonly data: Record<string, unknown>;
}

const ENDS = /\.(denied|applied|failed|opened|completed|committed|aborted|rejected)$/;

/** Sends intents with a plain client and hears what becomes of them. */
export class Outcomes {
  private constructor(
    private readonly client: PlainClient,
    readonly heard: readonly Msg[],
  ) {}

  static async of(client: PlainClient): Promise<Outcomes> {
    return new Outcomes(client, (await client.subscribe(`retrace.out.*.${client.name}.>`)).heard);
  }

  /** Sends an intent as it is and answers how it ended. */
  async send(workspace: string, intent: { intent_id: string }, headers?: Headers): Promise<Outcome> {
    const { body } = await this.client.request(
      `retrace.intent.${workspace}.${this.client.name}`,
      JSON.stringify(intent),
      headers,
    );
    if (!body.includes('"seq"')) throw new Error(`the door did not take it: ${body}`);
    return this.of(intent.intent_id);
  }

  of(intentId: string): Promise<Outcome> {
    return eventually(() => {
      const found = this.heard.find(
        ({ subject, headers }) => headers?.get('ce-correlationid') === intentId && ENDS.test(subject),
      );
      if (!found) throw new Error(`${this.client.name} heard nothing of ${intentId} yet`);
      const data = found.json<Record<string, unknown>>();
      const type = found.subject.split('.').slice(-2).join('.');
      return { type, code: data.code as string | undefined, data };
    }, 60_000);
  }
}
