import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECK_FILES, checksFolder } from './agents/jobs/checks.job.js';
import { editedLine, guideText, textFor } from './agents/texts.js';
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
    this.guide([2, 5]);
    this.add(`${docs}/handbook/appendix.md`, textFor('writer', `${docs}/handbook/appendix.md`));
    this.add(`${docs}/glossary.md`, textFor('writer', `${docs}/glossary.md`));
    for (const path of overwrite) this.put(path, textFor('writer', path));
    for (const path of edit) this.editLine(path);
    for (const path of remove) rmSync(join(this.folder, path));
  }

  review(): void {
    const { docs } = this.targets;
    this.sign(`${docs}/findings/conflicts.md`, 'researcher', 'checked');
    this.add(`${docs}/verdicts/sync.md`, textFor('reviewer', `${docs}/verdicts/sync.md`));
  }

  /** Step two rewrote the second chapter and added the appendix; the fifth chapter came later. */
  takeBackStepTwo(): void {
    this.guide([5]);
    rmSync(join(this.folder, this.targets.docs, 'handbook/appendix.md'));
  }

  check(): void {
    const folder = checksFolder(this.targets.docs);
    for (const name of CHECK_FILES) this.add(`${folder}/${name}`, textFor('tester', `${folder}/${name}`));
    this.sign(`${folder}/links.test.md`, 'tester', 'put right');
  }

  removeCreatedTests(): void {
    for (const name of ['format.test.md', 'spelling.test.md'])
      rmSync(join(this.folder, checksFolder(this.targets.docs), name));
  }

  /** Brings back from `original` what the writer changed, and removes what it made; a person has the glossary now. */
  takeBackWriting(original: string): void {
    const { docs, overwrite, edit, remove } = this.targets;
    for (const path of [...overwrite, ...edit, ...remove])
      cpSync(join(original, path), join(this.folder, path), { preserveTimestamps: true });
    rmSync(join(this.folder, docs, 'handbook'), { recursive: true });
  }

  /** As {@link write} and {@link takeBackStepTwo} left it. */
  redoWriting(): void {
    const { overwrite, edit, remove } = this.targets;
    this.guide([5]);
    for (const path of overwrite) this.put(path, textFor('writer', path));
    for (const path of edit) this.editLine(path);
    for (const path of remove) rmSync(join(this.folder, path));
  }

  /** What `mkdir`, `cat >>`, `chmod`, `ln -s`, `mv` make of it; the copy has come and gone. */
  tidy(): void {
    const { docs } = this.targets;
    const text = (name: string): string => textFor('writer', `${docs}/drafts/${name}`);
    const archive = `${docs}/archive`;
    this.add(`${archive}/first.md`, `${text('one.md')}More to come.\n`);
    this.add(`${archive}/old/two.md`, text('old/two.md'));
    this.add(`${archive}/build.sh`, text('build.sh'));
    chmodSync(join(this.folder, archive, 'build.sh'), 0o755);
    symlinkSync('one.md', join(this.folder, archive, 'latest.md'));
  }

  untidy(): void {
    rmSync(join(this.folder, this.targets.docs, 'archive'), { recursive: true });
  }

  draft(): void {
    const path = `${this.targets.docs}/merging/a.md`;
    this.add(path, textFor('writer', path));
  }

  private guide(revised: readonly number[]): void {
    this.add(`${this.targets.docs}/handbook/guide.md`, guideText(revised));
  }

  /** Who wrote a text also says what somebody else did to it. */
  private sign(path: string, author: string, mark: string): void {
    const before = readFileSync(join(this.folder, path), 'utf8');
    this.put(path, before.replace(`Written by the ${author}.`, `Written by the ${author}, ${mark}.`));
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
