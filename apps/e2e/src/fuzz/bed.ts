import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Retrace, Session } from '@retrace/client';
import { newId } from '@retrace/event-log';
import { CredentialStore } from '@retrace/messaging';
import { addWorkspace, OPEN_POLICY, RetraceSystem } from '@retrace/testing';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { AGENT, OPERATOR } from './cases.js';
import type { FuzzWords } from './words.js';

/** Uploaded by the agent beforehand: texts, scripts of edits, lists of operations, and what is none of them. */
const CONTENTS: readonly string[] = [
  '',
  'one\n',
  'one\ntwo\nthree\n',
  JSON.stringify({ edits: [{ old_text: 'one', new_text: 'two' }] }),
  JSON.stringify({ edits: [{ old_text: 'o', new_text: '', all: true }] }),
  JSON.stringify([{ action: 'mkdir', operation_id: newId('op'), path: 'blob-of-operations' }]),
  '['.repeat(10_000),
  '\0\u0001binary\ufffd',
];

/** A real system with a plain connection each for an agent and an operator, and somebody who works honestly beside them. */
export class FuzzBed {
  readonly system = new RetraceSystem('standalone');
  readonly connections = new Map<string, NatsConnection>();
  words!: FuzzWords;
  private readonly sdks: Retrace[] = [];
  private readonly probes: Session[] = [];
  private probed = 0;

  async open(): Promise<void> {
    await this.system.start();
    await addWorkspace(
      this.system,
      'fuzzed',
      { 'a.md': 'one\n', 'folder/one.md': 'one\n' },
      [AGENT, 'honest'],
      OPEN_POLICY,
    );
    await addWorkspace(this.system, 'calm', { 'a.md': 'one\n' }, ['honest'], OPEN_POLICY);
    for (const name of [AGENT, OPERATOR, '_svc-projection']) this.connections.set(name, await this.connectAs(name));
    for (const workspace of ['fuzzed', 'calm'])
      this.probes.push(await (await this.sdk('honest', workspace)).openSession({ task: 'goes on' }));
    this.words = await this.makeWords();
  }

  async close(): Promise<void> {
    await Promise.all([...this.sdks, ...this.connections.values()].map((one) => one.close()));
    await this.system.dispose();
  }

  /** Somebody else's work, beside what is fuzzed and in the midst of it: it must arrive. */
  async probe(): Promise<void> {
    const text = `probe ${++this.probed}\n`;
    for (const session of this.probes) await session.write('of-honest.md', text, { reason: 'works all along' });
    const [reader] = this.sdks;
    const { bytes } = await reader!.read('of-honest.md');
    if (Buffer.from(bytes).toString() !== text) throw new Error('the honest agent reads something else than it wrote');
  }

  /** KiB of anonymous memory of the services' process and of the broker. */
  memory(): { services: number; broker: number } {
    return { services: anonymous(this.system.pid), broker: anonymous(this.system.runtime.nats_pid!) };
  }

  private async makeWords(): Promise<FuzzWords> {
    const sdk = await this.sdk(AGENT, 'fuzzed');
    const operator = await this.sdk(OPERATOR, 'fuzzed');
    const contents = new Map<string, Uint8Array>();
    for (const text of CONTENTS) {
      const bytes = Buffer.from(text);
      await sdk.put(bytes);
      await operator.put(bytes);
      contents.set(createHash('sha256').update(bytes).digest('hex'), bytes);
    }
    const session = await sdk.openSession({ task: 'fuzz' });
    const opened = await session.begin({ reason: 'open for all of the run' });
    const applied = await session.write('a.md', 'two\n', { reason: 'to be named' });
    const plan = await sdk.undoPlan({ by: 'logical_operation', logical_operation_id: applied.logicalOperationId });
    const own = await operator.openSession({ task: 'fuzz' });
    const hashes = [...contents.keys()];
    const sizes = [...contents.values()].map(({ length }) => length);
    return {
      contents,
      of: {
        session_id: [session.id, own.id],
        operation_id: [applied.operations[0]!.operation_id],
        logical_operation_id: [applied.logicalOperationId, opened.id],
        intent_id: [applied.intentId],
        withdrawn_intent_id: [applied.intentId],
        plan_hash: [plan.plan_hash],
        content_hash: hashes,
        hash: hashes,
        size: sizes,
        agent: [AGENT, 'honest', OPERATOR],
        id: [applied.logicalOperationId, applied.operations[0]!.operation_id, applied.sequence],
        wait_ms: [0, 10],
        min_sequence: [1],
        limit: [1, 100],
        yaml: [OPEN_POLICY, '&a [*a]', 'a: &a [x]\nb: [*a,*a,*a]\n', `${'- '.repeat(5_000)}x`],
      },
    };
  }

  private async sdk(principal: string, workspace: string): Promise<Retrace> {
    const sdk = await this.system.connect(principal, workspace);
    this.sdks.push(sdk);
    return sdk;
  }

  private async connectAs(name: string): Promise<NatsConnection> {
    const { principals, services } = await new CredentialStore(this.system.home.nats).read();
    const pass = (principals[name] ?? services[name.slice('_svc-'.length) as 'projection'])!.password;
    const inboxPrefix = name.startsWith('_svc') ? '_INBOX' : `_INBOX.${name}`;
    return connect({ servers: this.system.url, user: name, pass, inboxPrefix, maxReconnectAttempts: -1 });
  }
}

function anonymous(pid: number): number {
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? 0);
}
