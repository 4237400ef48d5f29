import { z } from 'zod';

const NAME = /^[a-z0-9][a-z0-9-]*$/;
const RULE = 'lower-case letters, digits and dashes, beginning with a letter or digit, at most 63';

export const WorkspaceNameSchema = z.string().max(63, RULE).regex(NAME, RULE).brand<'WorkspaceName'>();
export type WorkspaceName = z.infer<typeof WorkspaceNameSchema>;

export const AgentNameSchema = z.string().max(63, RULE).regex(NAME, RULE).brand<'AgentName'>();
export type AgentName = z.infer<typeof AgentNameSchema>;

/** Nobody: the agent token of events that no principal caused. */
export const NOBODY = '_' as Principal;

/** Who a subject speaks for: an agent, an operator (`_op-<name>`) or a service of ours (`_cleanup`). */
export const PrincipalSchema = z
  .string()
  .max(67, RULE)
  .regex(
    /^(_|_op-[a-z0-9][a-z0-9-]{0,62}|_[a-z]+|[a-z0-9][a-z0-9-]{0,62})$/,
    `an agent (${RULE}) or one of ours (_op-<name>)`,
  )
  .brand<'Principal'>();
export type Principal = z.infer<typeof PrincipalSchema>;

export const operatorPrincipal = (name: string): Principal => PrincipalSchema.parse(`_op-${name}`);
export const isOperator = (principal: string): boolean => principal.startsWith('_op-');
