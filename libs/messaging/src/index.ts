export { type BusCredentials, connectBus } from './connect-bus.js';
export { type OpenTap, openTap } from './service/open-tap.js';
export { type CallContext, type CallHandler, RawReply } from './calls/call-context.js';
export { type Answer, CallClient, type CallOptions } from './calls/call-client.js';
export { LocalCalls } from './calls/local-calls.js';
export { Answers, OnEvent, OnIntent } from './transport/decorators.js';
export { KeepErrorFilter } from './transport/keep-error.filter.js';
export { type LaneSource, RetraceTransport, type TransportOptions } from './transport/retrace-transport.js';
export {
  type Durability,
  type OpenedService,
  type RunningService,
  type ServiceContext,
  type ServiceDefinition,
  type ServiceSettings,
} from './service/service-definition.js';
export { startService } from './service/start-service.js';
export { publishRejection } from './service/reject-message.js';
export { runServiceMain, settingsFrom, untilSignalled } from './service/run-service-main.js';
export { AccountsError, type AccountsErrorCode } from './accounts/accounts-error.js';
export { renderAccounts } from './accounts/accounts-config.js';
export {
  inboxPrefixOf,
  parsePrincipal,
  serviceUser,
  type CredentialTable,
  type PrincipalCredential,
  type ServiceCredential,
} from './accounts/credential-table.js';
export { CredentialStore, type CredentialFile, type ListedPrincipal } from './accounts/credentials.js';
export { reloadAccounts, type ReloadAccountsOptions } from './accounts/reload-accounts.js';
export {
  SERVICE_PERMISSIONS,
  SERVICE_USERS,
  type ServicePermissions,
  type ServiceUser,
} from './accounts/service-permissions.js';
export {
  LOCAL_OPERATOR,
  type RetraceHome,
  readRuntime,
  removeRuntime,
  retraceHome,
  type Runtime,
  RuntimeSchema,
  writeRuntime,
} from './home/retrace-home.js';
export { type Bus, type BusOptions, startBus } from './home/start-bus.js';
export { runSystem } from './service/run-system.js';
