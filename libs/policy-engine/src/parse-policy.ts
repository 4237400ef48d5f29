import { RetraceError } from '@retrace/contracts';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { compilePolicy, type Policy } from './policy.js';
import { PolicyFileSchema } from './policy-schema.js';
import { lineThatIsTooDeep } from './yaml-depth.js';

export const MAX_POLICY_BYTES = 256 * 1024;
const SHOWN = 5;

interface PolicyProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/**
 * Reads a policy. Throws {@link RetraceError} `policy_invalid`: the message names line, column and what to write instead;
 * `details.problems` lists all of them.
 */
export function parsePolicy(yaml: string): Policy {
  if (yaml.length > MAX_POLICY_BYTES)
    throw invalid([{ line: 1, column: 1, message: `at most ${MAX_POLICY_BYTES} bytes` }]);
  const deep = lineThatIsTooDeep(yaml);
  if (deep !== undefined) throw invalid([{ line: deep, column: 1, message: 'this nests deeper than a policy does' }]);
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  // A warning is an unknown tag, which is what an unquoted "!docs/**" is to YAML: it must not be read as something else.
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0)
    throw invalid(broken.map(({ pos, message }) => ({ ...place(lines, pos[0]), message: withAdvice(message) })));
  const parsed = PolicyFileSchema.safeParse(valueOf(document));
  if (!parsed.success) throw invalid(parsed.error.issues.map((issue) => locate(document, lines, issue)));
  return compilePolicy(parsed.data);
}

/** Aliases multiply: a few lines can unfold to gigabytes, and no policy needs one. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw invalid([
      { line: 1, column: 1, message: 'aliases (&name, *name) are not allowed; quote a "*" that is meant as text' },
    ]);
  }
}

function locate(document: Document, lines: LineCounter, issue: z.core.$ZodIssue): PolicyProblem {
  const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : [...issue.path];
  const where = keys.length === 0 ? 'the policy' : keys.map(String).join('.');
  const message = issue.code === 'unrecognized_keys' ? 'unknown key; remove it or check its spelling' : issue.message;
  return { ...place(lines, offsetOf(document, keys)), message: `${where}: ${message}` };
}

/** Where the value stands; of a value that is missing, where its nearest parent does. */
function offsetOf(document: Document, keys: readonly PropertyKey[]): number {
  for (let length = keys.length; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(keys.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

const place = (lines: LineCounter, offset: number): { line: number; column: number } => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
};

const withAdvice = (message: string): string =>
  /tag/i.test(message)
    ? `${message}. Put a pattern that begins with "!" in quotes`
    : /alias/i.test(message)
      ? `${message}. Put a text that begins with "*" in quotes`
      : message;

function invalid(problems: readonly PolicyProblem[]): RetraceError {
  const shown = problems
    .slice(0, SHOWN)
    .map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  const more = problems.length > SHOWN ? `\n… and ${problems.length - SHOWN} more` : '';
  const text = `the policy was not taken; correct it and publish it again:\n${shown.join('\n')}${more}`;
  return new RetraceError('policy_invalid', text, { details: { problems: problems.slice(0, 100) } });
}
