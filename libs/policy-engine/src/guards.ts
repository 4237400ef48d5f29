import { type ActionClass, CONTROL_FOLDER, type ErrorCode } from '@retrace/contracts';

/** What no policy can open. */
export interface GuardRefusal {
  readonly rule: `guard:${string}`;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Deeper paths are refused: every pattern is tried against every folder above a path. */
export const MAX_DEPTH = 128;

const PROTECTED = 'guard:protected-domain';
/** Zero-width characters that some file systems drop from names (git refuses them in `.git` for the same reason). */
const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The spelling that a forgiving file system would take for the same name. */
const plainName = (name: string): string => name.normalize('NFKC').replaceAll(IGNORABLE, '').toLowerCase();

/** Runs every guard. The control folder is closed to all; `.git` is closed to everything that changes it. */
export function guard(actionClass: ActionClass, path: string): GuardRefusal | undefined {
  const names = path.split('/');
  if (names.length > MAX_DEPTH)
    return {
      rule: 'guard:depth',
      code: 'path_too_long',
      message: `more than ${MAX_DEPTH} folders deep; use a shorter path`,
    };
  const plain = names.map(plainName);
  if (plain[0] === CONTROL_FOLDER) return closed(`${CONTROL_FOLDER}/ belongs to Retrace; no policy opens it`);
  if (actionClass !== 'read' && plain.includes('.git'))
    return closed('.git holds the history that other tools rely on; change it with git, no policy opens it');
  return undefined;
}

const closed = (message: string): GuardRefusal => ({ rule: PROTECTED, code: 'protected_path', message });
