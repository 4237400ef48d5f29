import { createHash } from 'node:crypto';
import type { Applied, OperationInput } from '@retrace/client';
import type { Random } from '../random.js';
import type { AskedOperation } from './asking.js';
import { KnownFiles } from './known-files.js';

export interface Chosen {
  readonly input: OperationInput;
  readonly asked: AskedOperation;
  /** The mark of the text that it leaves. */
  readonly mark?: string;
}

export interface Place {
  readonly agent: string;
  readonly number: number;
  readonly shared: readonly string[];
}

const WEIGHTS = {
  create: 12,
  write: 14,
  append: 14,
  edit: 12,
  move: 6,
  copy: 4,
  delete: 6,
  chmod: 6,
  mkdir: 8,
  symlink: 2,
  sharedAppend: 10,
  sharedWrite: 5,
  sharedEdit: 3,
  folder: 3,
} as const;

const MODES = [0o600, 0o644, 0o640, 0o755];

/** Decides, by chance, what is done next, and to what. */
export class Chooser {
  private readonly files = new KnownFiles();
  private readonly folder: string;
  private readonly sharedMarks = new Map<string, string>();
  private count = 0;

  constructor(
    private readonly random: Random,
    private readonly place: Place,
  ) {
    this.folder = `${place.agent}/w${place.number}`;
  }

  saw(applied: Applied | undefined, chosen: readonly Chosen[]): void {
    this.files.saw(applied, chosen.length === 1 ? chosen[0]!.mark : undefined);
    if (!applied) return;
    for (const { asked, mark } of chosen)
      if (mark && this.place.shared.includes(asked.path)) this.sharedMarks.set(asked.path, mark);
  }

  /** What a worker begins with: folders of its own. */
  firstly(): Chosen[] {
    return [0, 1, 2].map((number) => this.mkdir(number));
  }

  /** Several that are one: on files of their own each, so that they can be applied together. */
  several(): Chosen[] {
    return Array.from({ length: this.random.between(2, 6) }, (_, i) =>
      i % 3 === 2 ? this.append(this.random.pick(this.place.shared)) : this.create(),
    );
  }

  /** Calls on one file that are not awaited: their order must show. */
  burst(): Chosen[] {
    const path = this.random.chance(0.3)
      ? this.random.pick(this.place.shared)
      : (this.files.any(this.random) ?? `${this.folder}/log.md`);
    return Array.from({ length: this.random.between(2, 5) }, () => this.append(path));
  }

  one(): Chosen {
    const path = this.files.any(this.random);
    if (path === undefined) return this.create();
    switch (this.random.weighted(WEIGHTS)) {
      case 'create':
        return this.create();
      case 'write':
        return this.write(path);
      case 'append':
        return this.append(path);
      case 'edit':
        return this.edit(path, this.files.mark(path));
      case 'move':
        return this.transfer('move', path);
      case 'copy':
        return this.transfer('copy', path);
      case 'delete':
        return { input: { delete: path }, asked: { action: 'delete', path } };
      case 'chmod':
        return this.chmod(path);
      case 'mkdir':
        return this.mkdir();
      case 'symlink':
        return this.symlink();
      case 'sharedAppend':
        return this.append(this.random.pick(this.place.shared));
      case 'sharedWrite':
        return this.write(this.random.pick(this.place.shared), 'any');
      case 'sharedEdit':
        return this.sharedEdit();
      case 'folder':
        return this.wholeFolder();
    }
  }

  private create(): Chosen {
    const path = `${this.folder}/${this.random.chance(0.3) ? `d${this.random.between(0, 2)}/` : ''}f${(this.count += 1)}.md`;
    const { text, mark } = this.text(path);
    return { input: { create: path, content: text }, asked: { action: 'create', path, hash: sha256(text) }, mark };
  }

  private write(path: string, expected?: 'any'): Chosen {
    const { text, mark } = this.text(path);
    const input = { write: path, content: text, ...(expected && { expected }) };
    return { input, asked: { action: 'write', path, hash: sha256(text) }, mark };
  }

  private append(path: string): Chosen {
    const text = `+ ${this.mark()}\n`;
    return { input: { append: path, content: text }, asked: { action: 'append', path, text } };
  }

  private edit(path: string, old: string | undefined): Chosen {
    if (old === undefined) return this.write(path);
    const mark = this.mark();
    const asked = { action: 'edit', path, old, new: mark };
    return { input: { edit: path, edits: [{ oldText: old, newText: mark }], expected: 'any' }, asked, mark };
  }

  private sharedEdit(): Chosen {
    const path = this.random.pick(this.place.shared);
    return this.edit(path, this.sharedMarks.get(path) ?? `[[first ${path}]]`);
  }

  private transfer(action: 'move' | 'copy', path: string): Chosen {
    const to = `${this.folder}/${action}${(this.count += 1)}.md`;
    const input: OperationInput = action === 'move' ? { move: path, to } : { copy: path, to };
    return { input, asked: { action, path, to } };
  }

  private chmod(path: string): Chosen {
    const mode = this.random.pick(MODES);
    return { input: { chmod: path, mode }, asked: { action: 'chmod', path, mode } };
  }

  private mkdir(number = this.random.between(0, 2)): Chosen {
    const path = `${this.folder}/d${number}`;
    return { input: { mkdir: path, parents: true }, asked: { action: 'mkdir', path } };
  }

  private symlink(): Chosen {
    const path = `${this.folder}/l${(this.count += 1)}`;
    return { input: { symlink: path, target: 'f1.md' }, asked: { action: 'symlink', path, target: 'f1.md' } };
  }

  private wholeFolder(): Chosen {
    const path = `${this.folder}/d${this.random.between(0, 2)}`;
    if (this.random.chance(0.4)) return { input: { delete: path, recursive: true }, asked: { action: 'delete', path } };
    const to = `${this.folder}/moved${(this.count += 1)}`;
    return { input: { move: path, to }, asked: { action: 'move', path, to } };
  }

  private text(path: string): { text: string; mark: string } {
    const mark = this.mark();
    const lines = Array.from({ length: this.random.between(0, 20) }, (_, i) => `line ${i}\n`).join('');
    return { text: `${path}\nv ${mark}\n${lines}`, mark };
  }

  private mark(): string {
    return `[[${this.folder} ${(this.count += 1)}]]`;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
