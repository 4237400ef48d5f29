import { ActionClassSchema } from '@retrace/contracts';
import { z } from 'zod';

const MAX_RULES = 500;
const MAX_PATTERNS = 200;
const STARS_PER_NAME = 3;
const DOUBLE_STARS = 3;

/** Rule names are shown in answers; those with a colon (`guard:…`) are ours. */
const RuleNameSchema = z
  .string()
  .max(100)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 ._-]*$/,
    'letters, digits, blanks, ".", "_" and "-", beginning with a letter or digit',
  );

/** An agent's name, `*` for any agent, `_op-<name>` for one operator, `_op-*` for any. */
const AgentPatternSchema = z
  .string()
  .max(67)
  .regex(/^(\*|_op-\*|_op-[a-z0-9][a-z0-9-]*|_[a-z]+|[a-z0-9][a-z0-9-]*)$/, 'an agent, "*", or "_op-<name>" / "_op-*"');

/** A gitignore pattern that can match something, and cannot be made to run for minutes by a chosen path. */
const PathPatternSchema = z
  .string()
  .min(1)
  .max(1000)
  .superRefine((pattern, context) => {
    const problem = patternProblem(pattern);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

export function patternProblem(pattern: string): string | undefined {
  const body = pattern.startsWith('!') ? pattern.slice(1) : pattern;
  if (/[\0\n\r\u2028\u2029]/.test(pattern)) return 'a pattern is one line';
  if (body.trim() === '' || body === '/') return 'an empty pattern matches nothing; write "**" for every path';
  if (pattern.startsWith('#')) return 'a pattern that begins with "#" is a comment in gitignore; write "\\#…"';
  if (/(^|[^\\])(\\\\)*\\$/.test(body)) return 'a pattern cannot end in a single backslash';
  if (/^\.{0,2}\/?\.{1,2}\//.test(body)) return 'a pattern is anchored by a leading "/", not by "./" or "../"';
  return tooManyWildcards(body);
}

/** Matching goes back over every combination of stars: few of them keep the worst path cheap. */
function tooManyWildcards(body: string): string | undefined {
  const names = body.split('/');
  if (names.filter((name) => name === '**').length > DOUBLE_STARS)
    return `at most ${DOUBLE_STARS} "**"; split it into several patterns`;
  const stars = (name: string): number => (name.match(/\*+/g) ?? []).length;
  if (names.some((name) => name !== '**' && stars(name) > STARS_PER_NAME))
    return `at most ${STARS_PER_NAME} "*" between two slashes; split it into several patterns`;
  return undefined;
}

const RuleSchema = z
  .strictObject({
    name: RuleNameSchema,
    agents: z.array(AgentPatternSchema).min(1).max(MAX_PATTERNS).optional(),
    allow: z.array(ActionClassSchema).min(1).optional(),
    deny: z.array(ActionClassSchema).min(1).optional(),
    paths: z.array(PathPatternSchema).min(1).max(MAX_PATTERNS),
    reason: z.string().max(500).optional(),
  })
  .superRefine(({ allow, deny, paths }, context) => {
    if ((allow === undefined) === (deny === undefined))
      context.addIssue({ code: 'custom', message: 'a rule has either "allow" or "deny"' });
    if (paths.every((pattern) => pattern.startsWith('!')))
      context.addIssue({ code: 'custom', path: ['paths'], message: 'exclusions alone match nothing; begin with "**"' });
  });
export type RuleText = z.infer<typeof RuleSchema>;

/** The shape of a policy file. Unknown keys are refused: a misspelt `deny` must not become an open door. */
export const PolicyFileSchema = z
  .strictObject({
    version: z.literal(1),
    name: RuleNameSchema,
    rules: z.array(RuleSchema).max(MAX_RULES),
  })
  .superRefine(({ rules }, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of rules.entries()) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: ['rules', index, 'name'], message: `a second rule named ${name}` });
      seen.add(name);
    }
  });
export type PolicyFile = z.infer<typeof PolicyFileSchema>;
