import {
  IntentDeniedError,
  IntentNotSent,
  OperationFailedError,
  OutcomeUnknown,
  UploadFailedError,
} from '@retrace/client';
import { describePathState, RetraceError } from '@retrace/contracts';
import { adviceFor } from './advice.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { renderFields } from './render/fields.js';
import type { Screen } from './render/style.js';
import { plain, wrap, wrapLines } from './render/text.js';
import { CommandFailed, NotRunning, UsageError } from './usage-error.js';

/** An error as a person, or a program, is told of it. */
export interface Failure {
  readonly exit: ExitCode;
  readonly code: string;
  readonly message: string;
  /** The command as it was understood. */
  readonly asked: string;
  readonly path: string | null;
  readonly expected: string | null;
  readonly found: string | null;
  /** Which rule of which policy version refused. */
  readonly rule: string | null;
  readonly intent_id: string | null;
  readonly next: string | null;
  /** What a program printed that says more. */
  readonly output?: readonly string[];
}

const NOTHING_TO_DO: ReadonlySet<string> = new Set(['nothing_selected', 'nothing_to_undo', 'already_undone']);
const UNREACHABLE: ReadonlySet<string> = new Set(['unavailable', 'timeout', 'not_ready', 'not_running']);

/** Says what went wrong: what was asked, what was found, which rule, what to do next. */
export function failureOf(error: unknown, asked: string, principal: string): Failure {
  const details = detailsOf(error);
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const base = { exit: exitOf(error, code), code, message, asked, ...details };
  if (!(error instanceof CommandFailed)) return { ...base, next: adviceFor(error, code, principal) };
  const { next = adviceFor(error, code, principal), output } = error;
  return { ...base, next, ...(output.length > 0 && { output }) };
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'internal';
}

function exitOf(error: unknown, code: string): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof OutcomeUnknown) return EXIT.unknown;
  if (error instanceof NotRunning) return EXIT.unreachable;
  const fromSystem = error instanceof RetraceError || error instanceof IntentNotSent;
  if (fromSystem && UNREACHABLE.has(code)) return EXIT.unreachable;
  return NOTHING_TO_DO.has(code) ? EXIT.nothing : EXIT.refused;
}

const NO_DETAILS = { path: null, expected: null, found: null, rule: null, intent_id: null };

function detailsOf(error: unknown): Omit<Failure, 'exit' | 'code' | 'message' | 'asked' | 'next' | 'output'> {
  if (error instanceof IntentDeniedError)
    return { ...NO_DETAILS, path: error.path, rule: ruleOf(error), intent_id: error.intentId };
  if (error instanceof OperationFailedError)
    return {
      ...NO_DETAILS,
      path: error.path,
      expected: error.expected && describePathState(error.expected),
      found: error.found && describePathState(error.found),
      intent_id: error.intentId,
    };
  if (error instanceof OutcomeUnknown || error instanceof UploadFailedError)
    return { ...NO_DETAILS, intent_id: error.intentId };
  return NO_DETAILS;
}

const ruleOf = ({ rule, policyVersion }: IntentDeniedError): string | null =>
  rule && (policyVersion === null ? rule : `${rule} (policy version ${policyVersion})`);

/** Whether a person can do something about it, or the text of the program's own fault helps more. */
export const isExpected = (error: unknown): boolean => error instanceof RetraceError || codeOf(error) !== 'internal';

export function renderFailure(failure: Failure, { width, style }: Screen): string {
  const [first = '', ...more] = failure.message.trimEnd().split('\n');
  const head = wrapLines([`retrace: ${first} (${failure.code})`, ...more].join('\n'), width).join('\n');
  const fields = renderFields(
    [
      ['asked', failure.asked],
      ['path', failure.path],
      ['expected', failure.expected],
      ['found', failure.found],
      ['rule', failure.rule],
      ['intent', failure.intent_id],
      ['next', failure.next],
    ],
    width,
    '  ',
  );
  const output = (failure.output ?? []).flatMap((line) => wrap(plain(line), width - 4).map((part) => `    ${part}`));
  return [style.red(head), fields, ...output, ''].join('\n');
}
