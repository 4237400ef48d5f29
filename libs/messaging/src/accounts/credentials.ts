import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Principal } from '@retrace/contracts';
import { renderAccounts } from './accounts-config.js';
import { AccountsError } from './accounts-error.js';
import {
  credentialOf,
  type CredentialTable,
  EMPTY_TABLE,
  inboxPrefixOf,
  parseCredentialTable,
  parsePrincipal,
  type PrincipalCredential,
  serviceUser,
} from './credential-table.js';
import { withLockFile } from './lock-file.js';
import { ensurePrivateFolder, replacePrivateFile } from './private-file.js';
import type { ServiceUser } from './service-permissions.js';

const PASSWORD_BYTES = 32;

/** What one client needs to connect; the content of `<principal>.json`. */
export type CredentialFile = {
  readonly url?: string;
  readonly principal: Principal;
  readonly user: string;
  readonly password: string;
  /** Replies elsewhere are refused: the client must be created with this prefix. */
  readonly inbox_prefix: string;
};

export type ListedPrincipal = PrincipalCredential & { readonly principal: Principal };

const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

const withServices = (table: CredentialTable, names: readonly ServiceUser[]): CredentialTable => {
  const added = names
    .filter((name) => !table.services[name])
    .map((name) => [name, { user: serviceUser(name), password: newPassword() }] as const);
  return { ...table, services: { ...table.services, ...Object.fromEntries(added) } };
};

const withPrincipal = (
  table: CredentialTable,
  principal: Principal,
  workspaces: readonly string[],
): CredentialTable => {
  const known = credentialOf(table, principal) ?? { password: newPassword(), created_at: new Date().toISOString() };
  const all = [...new Set([...(known.workspaces ?? []), ...workspaces])];
  const entry = all.length > 0 ? { ...known, workspaces: all } : known;
  return { ...table, principals: { ...table.principals, [principal]: entry } };
};

/**
 * Keeps who may connect to the bus in `credentials.json` (0600) of one folder (0700), usually `$RETRACE_HOME/nats`.
 *
 * Changes take a lock file, so two CLIs at once lose nothing. Errors: `credentials_locked`, `credentials_invalid`,
 * `principal_invalid`.
 */
export class CredentialStore {
  private readonly file: string;
  private readonly lock: string;

  constructor(private readonly folder: string) {
    this.file = join(folder, 'credentials.json');
    this.lock = join(folder, 'credentials.lock');
  }

  /** The table as it stands; empty when nothing was written yet. */
  async read(): Promise<CredentialTable> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return text === null ? EMPTY_TABLE : parseCredentialTable(text, this.file);
  }

  /** Gives each service a user, keeping those that exist. */
  ensureServices(names: readonly ServiceUser[]): Promise<CredentialTable> {
    return this.change((table) => withServices(table, names));
  }

  /** Gives an agent or operator credentials, keeping a password that exists; workspaces are added to those known. */
  async addPrincipal(name: string, workspaces: readonly string[] = []): Promise<CredentialTable> {
    const principal = parsePrincipal(name);
    return this.change((table) => withPrincipal(table, principal, workspaces));
  }

  /** Everybody who may connect, by name, with passwords. */
  async listPrincipals(): Promise<ListedPrincipal[]> {
    const { principals } = await this.read();
    return Object.keys(principals)
      .toSorted()
      .map((name) => ({ principal: parsePrincipal(name), ...principals[name]! }));
  }

  /** Writes `<dir>/<principal>.json` (0600) for a client and answers its path. The principal must have been added. */
  async writeCredentialFile(dir: string, name: string, url?: string): Promise<string> {
    const content = await this.credentialFile(parsePrincipal(name), url);
    await ensurePrivateFolder(dir);
    const path = join(dir, `${content.principal}.json`);
    await replacePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
    return path;
  }

  /**
   * Writes accounts.conf from the table as it stands now: under the lock, else the slower of two would take the
   * other's new account away again. Answers the path.
   */
  async writeAccounts(accountsFile: string): Promise<string> {
    await ensurePrivateFolder(this.folder);
    await withLockFile(this.lock, async () => replacePrivateFile(accountsFile, renderAccounts(await this.read())));
    return accountsFile;
  }

  private async credentialFile(principal: Principal, url?: string): Promise<CredentialFile> {
    const known = credentialOf(await this.read(), principal);
    if (!known)
      throw new AccountsError('principal_invalid', `${principal} is unknown: \`retrace agent add ${principal}\`.`);
    const login = { user: principal, password: known.password, inbox_prefix: inboxPrefixOf(principal) };
    return { ...(url !== undefined && { url }), principal, ...login };
  }

  private async change(by: (table: CredentialTable) => CredentialTable): Promise<CredentialTable> {
    await ensurePrivateFolder(this.folder);
    return withLockFile(this.lock, async () => {
      const before = await this.read();
      const after = by(before);
      await replacePrivateFile(this.file, `${JSON.stringify(after, null, 2)}\n`);
      return after;
    });
  }
}
