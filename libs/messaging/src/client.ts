/** What a client of the bus needs, without the framework that services run in: it is loaded in a third of the time. */
export { type BusCredentials, connectBus } from './connect-bus.js';
export { type Answer, CallClient, type CallOptions } from './calls/call-client.js';
export {
  LOCAL_OPERATOR,
  readRuntime,
  type RetraceHome,
  retraceHome,
  type Runtime,
  RuntimeSchema,
} from './home/retrace-home.js';
