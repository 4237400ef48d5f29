import { setTimeout as sleep } from 'node:timers/promises';
import { AccountsError } from './accounts-error.js';

const ATTEMPTS = 10;
const PAUSE_MS = 200;

export type ReloadAccountsOptions = {
  /** Writes the file that nats.conf includes, from the table as it stands (`CredentialStore.writeAccounts`). */
  readonly write: () => Promise<string>;
  /** Has the server read its configuration again (SIGHUP). */
  readonly signal: () => void | Promise<void>;
  /** Whether the change works, asked as the one who needs it: connect with the new credentials and call a service. */
  readonly probe: () => Promise<boolean>;
  readonly attempts?: number;
  readonly pauseMs?: number;
};

/** A refused connection and "no responders" are what an account that is not there yet looks like. */
const works = (probe: ReloadAccountsOptions['probe']): Promise<boolean> => probe().catch(() => false);

/**
 * Writes accounts.conf and has the server load it, until the probe succeeds; connections of others stay.
 *
 * While the server swaps accounts (some ms), calls and intents of everybody may be refused with "no responders" (for a
 * publish: "jetstream is not enabled"). They reached nobody and are safe to repeat; outcomes are not lost.
 * Signals again after every failed probe: an account that a reload adds answers "no responders" until a second reload.
 * Errors: `accounts_not_loaded` (the file is written; a restart of the server would load it).
 */
export const reloadAccounts = async (options: ReloadAccountsOptions): Promise<void> => {
  const { write, signal, probe, attempts = ATTEMPTS, pauseMs = PAUSE_MS } = options;
  const accountsFile = await write();
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await signal();
    await sleep(pauseMs);
    if (await works(probe)) return;
  }
  const advice = 'See the log of nats-server for what it refused, or restart it.';
  throw new AccountsError(
    'accounts_not_loaded',
    `${accountsFile} is written, but the server does not use it. ${advice}`,
  );
};
