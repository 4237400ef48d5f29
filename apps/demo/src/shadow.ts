import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editedLine, textFor } from './agents/texts.js';
import { type Targets, uniqueLine } from './targets.js';

/**
 * The tree as it should be: a second copy, changed by plain file calls that share no code with Retrace. Modes of files
 * that are rewritten stay, since the calls write into the same file.
 */
export class Shadow {
  constructor(
    readonly folder: string,
    private readonly targets: Targets,
  ) {}

  static copyOf(source: string, folder: string, targets: Targets): Shadow {
    cpSync(source, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    return new Shadow(folder, targets);
  }

  research(): void {
    const { docs } = this.targets;
    for (const name of ['conflicts.md', 'formats.md', 'open-questions.md'])
      this.add(`${docs}/findings/${name}`, textFor('researcher', `${docs}/findings/${name}`));
  }

  write(): void {
    const { docs, overwrite, edit, remove } = this.targets;
    for (const path of overwrite) this.put(path, textFor('writer', path));
    for (const path of edit) this.editLine(path);
    for (const path of remove) rmSync(join(this.folder, path));
    this.add(`${docs}/handbook/sync.md`, textFor('writer', `${docs}/handbook/sync.md`));
  }

  review(): void {
    const { docs } = this.targets;
    const findings = `${docs}/findings/conflicts.md`;
    const before = readFileSync(join(this.folder, findings), 'utf8');
    this.put(findings, before.replace('Written by the researcher.', 'Written by the researcher, checked.'));
    this.add(`${docs}/verdicts/sync.md`, textFor('reviewer', `${docs}/verdicts/sync.md`));
  }

  /** Brings back from `original` what the writer changed, and removes what it made. */
  takeBackWriting(original: string): void {
    const { docs, overwrite, edit, remove } = this.targets;
    for (const path of [...overwrite, ...edit, ...remove])
      cpSync(join(original, path), join(this.folder, path), { preserveTimestamps: true });
    rmSync(join(this.folder, docs, 'handbook'), { recursive: true });
  }

  private add(path: string, text: string): void {
    for (const [i, name] of path.split('/').entries())
      if (name && i > 0) this.makeFolder(path.split('/').slice(0, i).join('/'));
    writeFileSync(join(this.folder, path), text, { mode: 0o644 });
  }

  private makeFolder(path: string): void {
    if (!existsSync(join(this.folder, path))) mkdirSync(join(this.folder, path), { mode: 0o755 });
  }

  private put(path: string, text: string | Buffer): void {
    writeFileSync(join(this.folder, path), text);
  }

  /** Byte for byte: the line is replaced, and takes the endings of a file that has CRLF throughout. */
  private editLine(path: string): void {
    const bytes = readFileSync(join(this.folder, path));
    const line = uniqueLine(bytes)!;
    const at = bytes.indexOf(line);
    const crlf = bytes.includes('\r\n') && !/(^|[^\r])\n/.test(bytes.toString('latin1'));
    const text = crlf ? editedLine('writer', line).replace('\n', '\r\n') : editedLine('writer', line);
    this.put(
      path,
      Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at + Buffer.byteLength(line))]),
    );
  }
}
