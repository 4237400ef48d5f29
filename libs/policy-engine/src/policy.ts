import type { ActionClass } from '@retrace/contracts';
import { PathMatcher } from './path-matcher.js';
import type { PolicyFile, RuleText } from './policy-schema.js';

export interface Rule {
  readonly name: string;
  readonly effect: 'allow' | 'deny';
  readonly classes: ReadonlySet<ActionClass>;
  /** `undefined`: everybody. */
  readonly agents: readonly string[] | undefined;
  readonly paths: PathMatcher;
  readonly reason: string | undefined;
}

/** A policy that was checked: rules in order, the first that matches decides. */
export interface Policy {
  readonly name: string;
  readonly rules: readonly Rule[];
}

export const compilePolicy = ({ name, rules }: PolicyFile): Policy => ({ name, rules: rules.map(compileRule) });

const compileRule = ({ name, agents, allow, deny, paths, reason }: RuleText): Rule => ({
  name,
  effect: allow === undefined ? 'deny' : 'allow',
  classes: new Set(allow ?? deny),
  agents,
  paths: new PathMatcher(paths),
  reason,
});
