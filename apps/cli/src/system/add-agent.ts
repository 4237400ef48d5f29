import { connectSystem } from '@retrace/client';
import { type AgentName, PolicyAddMember } from '@retrace/contracts';
import { CredentialStore, reloadAccounts, type Runtime } from '@retrace/messaging';
import type { Retrace } from '@retrace/client';
import type { Home } from '../home/home.js';
import { isProcess } from '../home/processes.js';
import { NATS_SERVER } from '../home/runtime-file.js';
import { CommandFailed } from '../usage-error.js';

const PROBE_TIMEOUT_MS = 1_000;

export interface AddedAgent {
  readonly credentialsFile: string;
  /** Of the event that made it a member. */
  readonly sequence: number;
}

/**
 * Gives an agent credentials, has the running bus take them in, and makes it a member of the operator's workspace.
 * Doing it again changes nothing but the membership.
 */
export async function addAgent(home: Home, runtime: Runtime, retrace: Retrace, agent: AgentName): Promise<AddedAgent> {
  const store = new CredentialStore(home.nats);
  await store.addPrincipal(agent, [retrace.workspace]);
  const credentialsFile = await store.writeCredentialFile(home.credentials, agent, runtime.url);
  const probe = (): Promise<boolean> => answersTo(credentialsFile, runtime.url);
  if (!(await probe().catch(() => false)))
    await reloadAccounts({
      write: () => store.writeAccounts(home.accountsFile),
      signal: () => reload(home, runtime),
      probe,
    });
  const { sequence } = await retrace.call(PolicyAddMember, { member: agent });
  return { credentialsFile, sequence };
}

/** Whether a service hears the agent: a connection alone is no proof that the account is wired up. */
async function answersTo(credentialsFile: string, url: string): Promise<boolean> {
  const system = await connectSystem({ url, credentialsFile });
  try {
    await system.ping('policy', PROBE_TIMEOUT_MS);
    return true;
  } finally {
    await system.close();
  }
}

async function reload(home: Home, { nats_pid }: Runtime): Promise<void> {
  if (nats_pid === null || !(await isProcess(nats_pid, NATS_SERVER)))
    throw new CommandFailed(
      'accounts_not_loaded',
      'the bus is not a process of ours on this machine, and does not know the agent yet',
      `have the NATS server include ${home.accountsFile} and reload it, then repeat this`,
    );
  process.kill(nats_pid, 'SIGHUP');
}
