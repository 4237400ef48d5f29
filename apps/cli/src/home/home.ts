import { join, resolve } from 'node:path';
import { retraceHome, type RetraceHome } from '@retrace/messaging';

/** Where Retrace keeps what is its own, with the places that the command line uses. */
export interface Home extends RetraceHome {
  /** What the bus includes. */
  readonly accountsFile: string;
  readonly standaloneLog: string;
  credentialFile(principal: string): string;
}

/** `--home`, else RETRACE_HOME, else the data folder of the user (XDG). */
export function homeAt(option: string | undefined, env: NodeJS.ProcessEnv, cwd: string): Home {
  const folder = option || env.RETRACE_HOME;
  const home = retraceHome(env, folder ? resolve(cwd, folder) : undefined);
  return {
    ...home,
    accountsFile: join(home.nats, 'accounts.conf'),
    standaloneLog: join(home.logs, 'standalone.log'),
    credentialFile: (principal) => join(home.credentials, `${principal}.json`),
  };
}
