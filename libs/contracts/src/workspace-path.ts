import { z } from 'zod';

/** The control folder at a workspace's root: staging, spool, lock. In no listing, never a target. */
export const CONTROL_FOLDER = '.retrace';

export const MAX_PATH_BYTES = 4000;
export const MAX_NAME_BYTES = 255;

export type PathProblem =
  | 'path_empty'
  | 'path_nul'
  | 'path_not_unicode'
  | 'path_absolute'
  | 'path_escapes'
  | 'path_trailing_slash'
  | 'path_too_long'
  | 'name_too_long'
  | 'path_control_folder';

export type CanonicalPath = { ok: true; path: WorkspacePath } | { ok: false; code: PathProblem; message: string };

/** A path below a workspace's root: `/` between names; no `.`, `..`, empty name, NUL, leading or trailing slash. */
export const WorkspacePathSchema = z
  .string()
  .superRefine((value, context) => {
    const parsed = canonicalPath(value);
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.message, params: { code: parsed.code } });
    else if (parsed.path !== value) context.addIssue({ code: 'custom', message: `write it as ${parsed.path}` });
  })
  .brand<'WorkspacePath'>();
export type WorkspacePath = z.infer<typeof WorkspacePathSchema>;

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

const refuse = (code: PathProblem, typed: string, rule: string): CanonicalPath => ({
  ok: false,
  code,
  message: `${JSON.stringify(typed.length > 200 ? `${typed.slice(0, 200)}…` : typed)}: ${rule}`,
});

/**
 * Brings a path as typed into its one spelling by text alone: `./a//b` becomes `a/b`.
 * `..` is refused, not resolved: behind a link it does not mean what it says.
 */
export function canonicalPath(typed: string): CanonicalPath {
  if (typed.includes('\0')) return refuse('path_nul', typed, 'a path holds no NUL byte');
  if (/\p{Cs}/u.test(typed)) return refuse('path_not_unicode', typed, 'a path is well-formed Unicode');
  if (typed.startsWith('/')) return refuse('path_absolute', typed, 'paths are relative to the workspace root');
  if (utf8Bytes(typed) > MAX_PATH_BYTES) return refuse('path_too_long', typed, `at most ${MAX_PATH_BYTES} bytes`);
  const names = typed.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return refuse('path_escapes', typed, '".." is not resolved; name the path from the root');
  if (names.length === 0) return refuse('path_empty', typed, 'a path names something below the workspace root');
  if (/\/\.?$/.test(typed)) return refuse('path_trailing_slash', typed, 'a path ends in a name');
  if (names.some((name) => utf8Bytes(name) > MAX_NAME_BYTES))
    return refuse('name_too_long', typed, `a name has at most ${MAX_NAME_BYTES} bytes`);
  if (names[0] === CONTROL_FOLDER)
    return refuse('path_control_folder', typed, `${CONTROL_FOLDER}/ belongs to Retrace and is nobody's target`);
  return { ok: true, path: names.join('/') as WorkspacePath };
}

/** Answers whether one path is the other or lies below it: effects on such paths depend on their order. */
export const pathsOverlap = (a: string, b: string): boolean =>
  a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

/** Answers the path of the folder that holds `path`, or `undefined` for a name at the root. */
export function parentPath(path: string): string | undefined {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? undefined : path.slice(0, slash);
}

/** The folders that hold `path`, the nearest first; none for a name at the root. */
export function* foldersAbove(path: string): Iterable<string> {
  for (let folder = parentPath(path); folder !== undefined; folder = parentPath(folder)) yield folder;
}

export type LinkDestination =
  | { readonly kind: 'path'; readonly path: WorkspacePath }
  | { readonly kind: 'root' }
  /** `message`: what is wrong with the target, to be read after its name. */
  | { readonly kind: 'refused'; readonly message: string };

/** Answers where a symbolic link at `path` leads, by text alone: out of the workspace and into the control folder none may. */
export function linkDestination(path: string, target: string): LinkDestination {
  if (target.startsWith('/')) return { kind: 'refused', message: 'is absolute' };
  const names = parentPath(path)?.split('/') ?? [];
  const steps = target.split('/').filter((name) => name !== '' && name !== '.');
  const down = steps.findIndex((name) => name !== '..');
  // What is named may be a link itself: above it is not where the text says.
  if (down >= 0 && steps.includes('..', down)) return { kind: 'refused', message: 'goes up again behind a name' };
  for (const name of steps) {
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return { kind: 'refused', message: 'leads out of the workspace' };
  }
  if (names.length === 0) return { kind: 'root' };
  const parsed = canonicalPath(names.join('/'));
  return parsed.ok
    ? { kind: 'path', path: parsed.path }
    : { kind: 'refused', message: `leads to no path of the workspace (${parsed.message})` };
}
