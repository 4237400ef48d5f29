/** The command was not called as it can be; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

/** The system does not run, or not where it was looked for. */
export class NotRunning extends Error {
  override readonly name = 'NotRunning';
  readonly code = 'not_running';
}

/** A problem of this command, with the exit code that it stands for. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    readonly code: string,
    message: string,
    readonly next?: string,
    options?: ErrorOptions,
    /** What a program printed that says more. */
    readonly output: readonly string[] = [],
  ) {
    super(message, options);
  }
}
