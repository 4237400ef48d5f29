import { isOperator, type Principal } from '@retrace/contracts';
import { type CredentialTable, inboxPrefixOf, parsePrincipal } from './credential-table.js';
import { SERVICE_USERS, SERVICE_PERMISSIONS, type ServicePermissions } from './service-permissions.js';

const SERVICES_ACCOUNT = 'SERVICES';

/**
 * How long the server keeps the way back of a call that is not answered yet: no answer may come later than this.
 * Every call has one answer. Were several allowed, the server could not know which is the last and would keep 2 KB for
 * each call over one to two of these spans: half a gigabyte at a thousand calls a second with its default.
 */
const RPC_ANSWER_SECONDS = 120;

/** JSON's strings are the configuration's strings for all we write: printable, no `\u` escapes (names and passwords are checked). */
const quote = (text: string): string => JSON.stringify(text);
const list = (subjects: readonly string[]): string => `[${subjects.map(quote).join(', ')}]`;

const renderUser = (user: string, password: string, { publish, subscribe }: ServicePermissions): string =>
  `      { user: ${quote(user)}, password: ${quote(password)}, permissions: {
        publish: ${list(publish)}
        subscribe: ${list(subscribe)}
      } }`;

const renderServices = ({ services }: CredentialTable): string => {
  const users = SERVICE_USERS.flatMap((name) => {
    const credential = services[name];
    return credential ? [renderUser(credential.user, credential.password, SERVICE_PERMISSIONS[name])] : [];
  });
  return `  ${quote(SERVICES_ACCOUNT)}: {
    jetstream: enabled
    users: [
${users.join('\n')}
    ]
    exports: [
      { service: "retrace.intent.>" }
      { service: "retrace.rpc.>", response_type: singleton, response_threshold: "${RPC_ANSWER_SECONDS}s" }
      { stream: "retrace.out.>" }
    ]
  }`;
};

/** The prefix keeps a principal from being called like an account of ours. */
const accountOf = (principal: Principal): string => `P_${principal}`;

/** Operators watch everybody; an agent sees what became of its own intents. */
const outcomesOf = (principal: Principal): string =>
  isOperator(principal) ? 'retrace.out.>' : `retrace.out.*.${principal}.>`;

const renderPrincipal = (principal: Principal, password: string): string => {
  const [intents, rpc, outcomes] = [
    `retrace.intent.*.${principal}`,
    `retrace.rpc.${principal}.>`,
    outcomesOf(principal),
  ];
  const permissions = { publish: [intents, rpc], subscribe: [`${inboxPrefixOf(principal)}.>`, outcomes] };
  const from = (subject: string): string => `{ account: ${quote(SERVICES_ACCOUNT)}, subject: ${quote(subject)} }`;
  return `  ${quote(accountOf(principal))}: {
    users: [
${renderUser(principal, password, permissions)}
    ]
    imports: [
      { service: ${from(intents)} }
      { service: ${from(rpc)} }
      { stream: ${from(outcomes)} }
    ]
  }`;
};

/**
 * Renders accounts.conf: one account for the services, one for each principal.
 *
 * An account each is what makes the subject token an identity: in a shared one a caller could choose another's outcomes, or
 * an event, as reply subject. Errors: `principal_invalid`.
 */
export const renderAccounts = (table: CredentialTable): string => {
  const principals = Object.entries(table.principals)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { password }]) => renderPrincipal(parsePrincipal(name), password));
  const accounts = [renderServices(table), ...principals].join('\n');
  return `# Written by Retrace from credentials.json: changes here are lost. Holds passwords.\naccounts {\n${accounts}\n}\n`;
};
