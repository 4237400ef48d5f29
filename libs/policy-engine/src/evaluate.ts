import type { ActionClass, ErrorCode } from '@retrace/contracts';
import { guard, type GuardRefusal } from './guards.js';
import type { Policy, Rule } from './policy.js';

export interface Question {
  /** The principal, as its subject names it. */
  readonly agent: string;
  readonly class: ActionClass;
  /** In its one spelling (`canonicalPath`). */
  readonly path: string;
}

export interface TriedRule {
  readonly rule: string;
  readonly matched: boolean;
  readonly why: string;
}

export interface Judgement {
  readonly allowed: boolean;
  /** The rule that decided; `guard:…` and `default:deny` stand in no policy. */
  readonly rule: string;
  readonly code: ErrorCode | null;
  /** Names path, class, rule and, of a refusal, the next step. */
  readonly message: string;
  /** The rule's own text. */
  readonly reason: string | null;
}

export interface Evaluation extends Judgement {
  /** Everything tried, in order, up to the rule that decided. */
  readonly tried: readonly TriedRule[];
}

export const DEFAULT_DENY = 'default:deny';

/**
 * Judges one question. Guards always run and their refusal stands whatever the rules say; then the first matching rule
 * decides; without one the answer is no. Pure.
 */
export function judge(policy: Policy, question: Question): Judgement {
  const refusal = guard(question.class, question.path);
  if (refusal) return refusedByGuard(question, refusal);
  const rule = policy.rules.find((candidate) => matches(candidate, question));
  return rule ? decidedBy(rule, question) : withoutRule(policy, question);
}

/** The same answer as {@link judge}, and everything tried on the way to it: for people, not for thousands of paths. */
export function evaluate(policy: Policy, question: Question): Evaluation {
  const refusal = guard(question.class, question.path);
  const tried: TriedRule[] = refusal
    ? [{ rule: refusal.rule, matched: true, why: refusal.message }]
    : triedRules(policy, question);
  return { ...judge(policy, question), tried };
}

function triedRules({ rules }: Policy, question: Question): TriedRule[] {
  const tried: TriedRule[] = [{ rule: 'guards', matched: false, why: 'nothing protected is touched' }];
  for (const rule of rules) {
    const why = tryRule(rule, question);
    tried.push({ rule: rule.name, ...why });
    if (why.matched) break;
  }
  return tried;
}

const matches = ({ agents, classes, paths }: Rule, question: Question): boolean =>
  classes.has(question.class) &&
  (!agents || agents.some((pattern) => agentMatches(pattern, question.agent))) &&
  paths.decidingPattern(question.path) !== undefined;

function tryRule({ agents, classes, effect, paths }: Rule, question: Question): Omit<TriedRule, 'rule'> {
  if (agents && !agents.some((pattern) => agentMatches(pattern, question.agent)))
    return { matched: false, why: `is for ${agents.join(', ')}, not for ${question.agent}` };
  if (!classes.has(question.class))
    return { matched: false, why: `is about ${[...classes].join(', ')}, not ${question.class}` };
  const pattern = paths.decidingPattern(question.path);
  if (pattern === undefined) return { matched: false, why: `names no path like ${question.path}` };
  return { matched: true, why: `${pattern} names ${question.path}: ${effect}` };
}

/** `*` is any agent: not an operator, and none of our own principals. */
const agentMatches = (pattern: string, agent: string): boolean => {
  if (pattern === '*') return !agent.startsWith('_');
  if (pattern === '_op-*') return agent.startsWith('_op-');
  return pattern === agent;
};

function decidedBy(rule: Rule, question: Question): Judgement {
  const { agent, path } = question;
  const common = { rule: rule.name, reason: rule.reason ?? null };
  if (rule.effect === 'allow')
    return {
      allowed: true,
      code: null,
      message: `${path}: ${agent} may ${question.class} (rule ${rule.name})`,
      ...common,
    };
  const because = rule.reason === undefined ? '' : ` (${rule.reason})`;
  const next = `Choose another path, or ask an operator to change the rule`;
  const message = `${path}: rule ${rule.name} denies ${question.class} to ${agent}${because}. ${next}`;
  return { allowed: false, code: 'rule_denies', message, ...common };
}

function refusedByGuard(
  { agent, class: actionClass, path }: Question,
  { rule, code, message }: GuardRefusal,
): Judgement {
  const text = `${path}: ${actionClass} by ${agent} is refused (${rule}): ${message}`;
  return { allowed: false, rule, code, message: text, reason: null };
}

function withoutRule({ name }: Policy, question: Question): Judgement {
  const { agent, class: actionClass, path } = question;
  const next = `Ask an operator for a rule, or see what is allowed: retrace policy explain`;
  const message = `${path}: no rule of policy ${name} lets ${agent} ${actionClass} it (${DEFAULT_DENY}). ${next}`;
  return { allowed: false, rule: DEFAULT_DENY, code: 'no_rule', message, reason: null };
}
