import type { WriteMode } from '@retrace/contracts';
import type { Content } from '../content/content.js';
import type { ApplyOptions } from '../intents/intent-options.js';
import type { Applied } from '../intents/settled.js';
import type { Expected } from '../memory/session-memory.js';
import type { Edit, OperationInput } from '../operations.js';

export interface ChangeOptions extends ApplyOptions {
  /**
   * What the caller last saw at the path; anything else found refuses the operation. Without it, what the session last
   * read or left there; `any`: whatever stands there.
   */
  readonly expected?: Expected | undefined;
}
export interface CreateOptions extends ChangeOptions {
  /** Permission bits, at most 0777: no set-id, no sticky. */
  readonly mode?: number | undefined;
}
export interface EditOptions extends ChangeOptions {
  /** `replace`: a new file takes the old one's place; `in_place`: the same inode gets new bytes. */
  readonly writeMode?: WriteMode | undefined;
}
export interface WriteOptions extends CreateOptions, EditOptions {}
export interface MkdirOptions extends CreateOptions {
  /** Missing folders above it too. */
  readonly parents?: boolean | undefined;
}
export interface MoveOptions extends ChangeOptions {
  /** A file or link that stands at the new path is replaced; else anything there refuses. */
  readonly overwrite?: boolean | undefined;
}
export interface CopyOptions extends MoveOptions {
  /** A folder with all that is in it. */
  readonly recursive?: boolean | undefined;
}
export interface DeleteOptions extends ChangeOptions {
  /** A folder with all that is in it. */
  readonly recursive?: boolean | undefined;
}

/**
 * The verbs. Each call is one logical operation (or one part of an open one), published in the order of the calls,
 * awaited or not.
 *
 * Rejects with IntentDeniedError, OperationFailedError (LostUpdateError, ChangedOutsideError), UploadFailedError,
 * OutcomeUnknown or IntentNotSent.
 */
export abstract class FileChanges {
  /** Several operations as one: all of them are applied, or none. At most 10,000. */
  abstract apply(inputs: readonly OperationInput[], options?: ApplyOptions): Promise<Applied>;

  /** A new file; refused where anything stands. */
  create(path: string, content: Content, options: CreateOptions = {}): Promise<Applied> {
    const { mode, expected } = options;
    return this.apply([{ create: path, content, mode, expected }], options);
  }

  /** The whole content of a file, new or not. */
  write(path: string, content: Content, options: WriteOptions = {}): Promise<Applied> {
    const { mode, writeMode, expected } = options;
    return this.apply([{ write: path, content, mode, writeMode, expected }], options);
  }

  /** Literal replacements, in order. A text with several matches is refused unless `all`. */
  edit(path: string, edits: readonly Edit[], options: EditOptions = {}): Promise<Applied> {
    const { writeMode, expected } = options;
    return this.apply([{ edit: path, edits, writeMode, expected }], options);
  }

  /** Adds to the end of a file; one that is not there begins with it. */
  append(path: string, content: Content, options: WriteOptions = {}): Promise<Applied> {
    const { mode, writeMode, expected } = options;
    return this.apply([{ append: path, content, mode, writeMode, expected }], options);
  }

  /** A folder; one that is there already is left as it is. */
  mkdir(path: string, options: MkdirOptions = {}): Promise<Applied> {
    const { mode, parents, expected } = options;
    return this.apply([{ mkdir: path, mode, parents, expected }], options);
  }

  /** An empty folder, and nothing else. */
  rmdir(path: string, options: ChangeOptions = {}): Promise<Applied> {
    return this.apply([{ rmdir: path, expected: options.expected }], options);
  }

  /** The permission bits of a file or folder, at most 0777. */
  chmod(path: string, mode: number, options: ChangeOptions = {}): Promise<Applied> {
    return this.apply([{ chmod: path, mode, expected: options.expected }], options);
  }

  /** A symbolic link; its target is relative to the link's folder and stays inside the workspace. */
  symlink(path: string, target: string, options: ChangeOptions = {}): Promise<Applied> {
    return this.apply([{ symlink: path, target, expected: options.expected }], options);
  }

  /** A file, a link, or a folder with all that is in it gets another path. `expected` is of the old one. */
  move(path: string, to: string, options: MoveOptions = {}): Promise<Applied> {
    const { overwrite, expected } = options;
    return this.apply([{ move: path, to, overwrite, expected }], options);
  }

  /** A file, a link, or with `recursive` a folder. `expected` is of what is copied. */
  copy(path: string, to: string, options: CopyOptions = {}): Promise<Applied> {
    const { overwrite, recursive, expected } = options;
    return this.apply([{ copy: path, to, overwrite, recursive, expected }], options);
  }

  /** A file, a link, an empty folder; with `recursive` a folder with all that is in it. */
  delete(path: string, options: DeleteOptions = {}): Promise<Applied> {
    const { recursive, expected } = options;
    return this.apply([{ delete: path, recursive, expected }], options);
  }
}
