export { failpoint } from './failpoint.js';
export { type FolderLock, FolderLocked, lockFolder } from './folder-lock.js';
export { findNatsServer, type FindNatsServerOptions, type FoundNatsServer } from './nats-server/find-nats-server.js';
export {
  launchNatsServer,
  type LaunchNatsServerOptions,
  type NatsServerHandle,
} from './nats-server/launch-nats-server.js';
export { renderServerConfig, type ServerConfig } from './nats-server/nats-config.js';
export { NatsServerError, type NatsServerErrorCode } from './nats-server/nats-server-error.js';
