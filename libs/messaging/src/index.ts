export { type BusCredentials, connectBus } from './connect-bus.js';
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
