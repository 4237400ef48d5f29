import { isOperator, type Principal, RetraceError, type RpcCaller, type WorkspaceName } from '@retrace/contracts';

/** Whose work the caller sees: its own; `undefined`: all, for operators and services. */
export function viewerOf({ principal }: RpcCaller): Principal | undefined {
  return principal === undefined || isOperator(principal) ? undefined : principal;
}

/** The workspace that the question is about. Throws {@link RetraceError} `bad_request` where none is named. */
export function workspaceOf({ workspace, service, verb }: RpcCaller): WorkspaceName {
  if (workspace === '_') throw new RetraceError('bad_request', `${service}.${verb} asks about one workspace; name it`);
  return workspace;
}

/** The workspace, or `undefined` for all. */
export const anyWorkspaceOf = ({ workspace }: RpcCaller): WorkspaceName | undefined =>
  workspace === '_' ? undefined : workspace;
