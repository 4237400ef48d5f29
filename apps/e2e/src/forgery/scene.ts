import { blobHash } from './blob-hash.js';
import { type Retrace, type Session } from '@retrace/client';
import { PolicyAddMember } from '@retrace/contracts';
import { CredentialStore, type ServiceUser, serviceUser } from '@retrace/messaging';
import { addWorkspace, RetraceSystem } from '@retrace/testing';
import { type Login, PlainClient } from './plain-client.js';
import { StoredLog } from './stored-log.js';

/** `thief`: a member that may read little. `neighbour`: of another workspace. `stranger`: of none. */
export const AGENTS = ['thief', 'neighbour', 'stranger'] as const;
export const OPERATORS = ['_op-ada', '_op-local'] as const;
export type Role = (typeof AGENTS)[number] | (typeof OPERATORS)[number] | 'honest';

export const SECRET = 'nobody but honest reads this: 4711\n';
export const SECRET_HASH = blobHash(SECRET);
export const SECRET_TASK = 'a task that is nobody else’s: 0815';
export const SECRET_REASON = 'a reason that is nobody else’s: 1909';

const POLICY = `version: 1
name: shares
rules:
  - name: honest works everywhere
    agents: [honest, _op-*]
    allow: [read, create, overwrite, delete, move]
    paths: ['**']
  - name: all share the public folder
    allow: [read, create, overwrite, delete, move]
    paths: ['/public/']
  - name: what is dropped is not read
    allow: [create, overwrite]
    paths: ['/drop/']
`;

/** A system with an honest agent that has something to lose, and plain clients in every role. */
export class Scene {
  readonly system = new RetraceSystem('standalone');
  folder!: string;
  log!: StoredLog;
  honest!: Retrace;
  session!: Session;
  private readonly clients = new Map<string, PlainClient>();
  private readonly sdks: Retrace[] = [];

  async open(): Promise<void> {
    const store = new CredentialStore(this.system.home.nats);
    for (const name of ['honest', ...AGENTS, ...OPERATORS]) await store.addPrincipal(name);
    await this.system.start();
    const files = { 'public/a.md': 'a\n', 'secret/plan.md': SECRET, 'drop/box.md': SECRET };
    this.folder = await addWorkspace(this.system, 'notes', files, [], POLICY);
    await addWorkspace(this.system, 'next-door', { 'own.md': 'own\n' }, []);
    await this.admit('notes', ['honest', 'thief']);
    await this.admit('next-door', ['neighbour']);
    this.log = new StoredLog(await this.service('projection'));
    this.honest = await this.connectSdk('honest', 'notes');
    this.session = await this.honest.openSession({ task: SECRET_TASK });
  }

  async close(): Promise<void> {
    await Promise.all([...this.sdks, ...this.clients.values()].map((one) => one.close()));
    await this.system.dispose();
  }

  async connectSdk(principal: Role, workspace: string): Promise<Retrace> {
    const sdk = await this.system.connect(principal, workspace);
    this.sdks.push(sdk);
    return sdk;
  }

  /** A connection with a principal's credentials. */
  async as(principal: string): Promise<PlainClient> {
    const { principals } = await this.table();
    return this.client(principal, { user: principal, password: principals[principal]!.password });
  }

  async service(name: ServiceUser): Promise<PlainClient> {
    return this.client(serviceUser(name), (await this.table()).services[name]!);
  }

  /** Every password that there is. */
  async passwords(): Promise<string[]> {
    const { principals, services } = await this.table();
    return [...Object.values(principals), ...Object.values(services)].map(({ password }) => password);
  }

  async passwordOf(principal: string): Promise<string> {
    return (await this.table()).principals[principal]!.password;
  }

  private table() {
    return new CredentialStore(this.system.home.nats).read();
  }

  private async client(name: string, login: Login): Promise<PlainClient> {
    const known = this.clients.get(name);
    if (known) return known;
    const client = await PlainClient.connect(this.system.url, name, login);
    this.clients.set(name, client);
    return client;
  }

  private async admit(workspace: string, members: readonly string[]): Promise<void> {
    const operator = await this.connectSdk('_op-local', workspace);
    for (const member of members) await operator.call(PolicyAddMember, { member });
  }
}
