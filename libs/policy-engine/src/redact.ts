/** Takes what must not be recorded out of a text. Pure. */
export type Redactor = (text: string) => string;

interface SecretShape {
  readonly kind: string;
  readonly shape: RegExp;
  /** What stays around the mark: `$1` is the part before the secret. */
  readonly keep?: string;
}

/**
 * Well-known shapes, most specific first. All are linear: each repetition is over one class of characters and is bounded
 * or followed by something outside that class. A guard rail: a secret without a shape passes.
 */
const SHAPES: readonly SecretShape[] = [
  {
    kind: 'private-key',
    shape:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:(?!-----BEGIN )[^]){0,16000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
  },
  { kind: 'aws-key', shape: /\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b/g },
  { kind: 'github-token', shape: /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/g },
  { kind: 'gitlab-token', shape: /\bglpat-[A-Za-z0-9_-]{20,255}/g },
  { kind: 'slack-token', shape: /\bxox[abprs]-[A-Za-z0-9-]{10,255}/g },
  { kind: 'api-key', shape: /\bsk-[A-Za-z0-9_-]{16,255}/g },
  { kind: 'google-key', shape: /\bAIza[A-Za-z0-9_-]{35}/g },
  { kind: 'jwt', shape: /\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,1000}/g },
  { kind: 'bearer-token', shape: /\b(bearer\s{1,8})(?!\[redacted:)[A-Za-z0-9._~+/=-]{8,2000}/gi, keep: '$1' },
  {
    kind: 'url-password',
    shape: /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,100}:)(?!\[redacted:)[^\s:/@]{1,200}(?=@)/gi,
    keep: '$1',
  },
  {
    kind: 'password',
    shape:
      /((?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key)["']?\s{0,8}[=:]\s{0,8})(?!\[redacted:)(?:"[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s"',;&]{1,500})/gi,
    keep: '$1',
  },
];

/** Replaces secrets of well-known shapes by `[redacted:<kind>]`; redacting twice changes nothing more. */
export const redactSecrets: Redactor = (text) =>
  SHAPES.reduce((clean, { kind, shape, keep = '' }) => clean.replace(shape, `${keep}[redacted:${kind}]`), text);
