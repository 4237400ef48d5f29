import {
  type Principal,
  PrincipalSchema,
  type SessionId,
  SessionIdSchema,
  type WorkspaceName,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import type { z } from 'zod';
import type { Globals } from './globals.js';
import { UsageError } from './usage-error.js';

/** The global options, as the contract wants them. */
export interface CheckedGlobals {
  readonly json: boolean;
  readonly workspace: WorkspaceName | undefined;
  readonly as: Principal | undefined;
  readonly session: SessionId | undefined;
  readonly reason: string | undefined;
}

/** Throws {@link UsageError}, which names the option. */
export const checkGlobals = ({ json = false, workspace, as, session, reason }: Globals): CheckedGlobals => ({
  json,
  workspace: checked('--workspace', WorkspaceNameSchema, workspace),
  as: checked('--as', PrincipalSchema, as),
  session: checked('--session', SessionIdSchema, session),
  reason,
});

function checked<S extends z.ZodType>(option: string, schema: S, value: string | undefined): z.infer<S> | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${option} ${value}: not ${parsed.error.issues.map(({ message }) => message).join('; ')}`);
}
