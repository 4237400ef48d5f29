import { canonicalPath, RetraceError, type WorkspacePath } from '@retrace/contracts';

/** The one spelling of a path as typed. Throws {@link RetraceError} with the path's problem. */
export function pathOf(typed: string): WorkspacePath {
  const canonical = canonicalPath(typed);
  if (!canonical.ok) throw new RetraceError(canonical.code, canonical.message);
  return canonical.path;
}

/** Like {@link pathOf} for a path and all below it: `src/` is `src`, and the root (`.`) filters nothing out. */
export function pathFilter(typed: string | undefined): WorkspacePath | undefined {
  if (typed === undefined || typed === '.' || typed === './') return undefined;
  return pathOf(typed.replace(/(?<=[^/])(\/+\.?)+$/, ''));
}
