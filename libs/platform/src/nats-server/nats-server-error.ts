export type NatsServerErrorCode =
  'nats_server_missing' | 'nats_server_too_old' | 'nats_server_not_ready' | 'port_in_use' | 'nats_config_invalid';

/** Is raised when the bus cannot be found, configured or started; the message ends with what to do next. */
export class NatsServerError extends Error {
  override readonly name = 'NatsServerError';

  constructor(
    readonly code: NatsServerErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
