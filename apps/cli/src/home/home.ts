import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { operatorPrincipal } from '@retrace/contracts';
import type { RetraceHome } from '@retrace/messaging';

/** Who acts unless somebody else is named: the operator of this machine. */
export const LOCAL_OPERATOR = operatorPrincipal('local');

/** Where Retrace keeps what is its own, with the places that the command line uses. */
export interface Home extends RetraceHome {
  /** What the bus includes. */
  readonly accountsFile: string;
  readonly standaloneLog: string;
  credentialFile(principal: string): string;
}

/**
 * `--home`, else RETRACE_HOME, else the data folder of the user (XDG). The layout is that of `retraceHome` in messaging,
 * which comes with the framework of the services: most of a command's time would go into loading it. A spec holds the
 * two together.
 */
export function homeAt(option: string | undefined, env: NodeJS.ProcessEnv, cwd: string): Home {
  const given = option || env.RETRACE_HOME;
  const folder = given ? resolve(cwd, given) : join(dataFolder(env), 'retrace');
  const within = (name: string): string => join(folder, name);
  return {
    folder,
    runtimeFile: within('runtime.json'),
    credentials: within('credentials'),
    nats: within('nats'),
    data: within('data'),
    logs: within('logs'),
    accountsFile: join(within('nats'), 'accounts.conf'),
    standaloneLog: join(within('logs'), 'standalone.log'),
    credentialFile: (principal) => join(within('credentials'), `${principal}.json`),
  };
}

const dataFolder = (env: NodeJS.ProcessEnv): string =>
  env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share');
