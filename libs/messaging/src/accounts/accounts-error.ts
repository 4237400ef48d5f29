export type AccountsErrorCode =
  'credentials_locked' | 'credentials_invalid' | 'principal_invalid' | 'accounts_not_loaded';

/** Is raised when credentials cannot be read, changed or put into force; the message ends with what to do next. */
export class AccountsError extends Error {
  override readonly name = 'AccountsError';

  constructor(
    readonly code: AccountsErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
