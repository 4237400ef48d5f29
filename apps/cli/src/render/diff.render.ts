import { describePathState, type PathState } from '@retrace/contracts';
import type { FileDiff } from '../commands/file-diff.js';
import type { Screen, Style } from './style.js';
import { plain, plural, wrap } from './text.js';

export interface DiffContext {
  /** Paths that are not shown. */
  readonly more: number;
  readonly title: string;
  /** For a file or a pipe: texts as they are, so that they can be applied. */
  readonly raw: boolean;
}

/** Changes of several paths, each with what it is called, what became of it, and its text. */
export function renderDiffs(files: readonly FileDiff[], { more, title, raw }: DiffContext, screen: Screen): string {
  const { style, width } = screen;
  const shown = files.filter(differs).map((file) => renderFileDiff(file, { raw, style }));
  if (shown.length === 0) return wrap(`no difference: ${plain(title)}`, width).join('\n');
  const rest = more === 0 ? [] : [style.yellow(`… and ${plural(more, 'path')} more`)];
  return [...shown, ...rest].join('\n');
}

const differs = ({ before, after, moved_from, moved_to }: FileDiff): boolean =>
  moved_from !== null || moved_to !== null || JSON.stringify(before) !== JSON.stringify(after);

function renderFileDiff(file: FileDiff, { raw, style }: { raw: boolean; style: Style }): string {
  const head = [`diff ${plain(file.path)}`, ...notesOf(file)].map((line) => style.bold(line));
  return [...head, ...linesOf(file.diff, { raw, style })].join('\n');
}

/** The lines of a unified diff, for a person or as they are. */
export function linesOf(diff: string, { raw, style }: { raw: boolean; style: Style }): string[] {
  if (diff === '') return [];
  return diff
    .replace(/^(?:Index: .*\n)?(?:=+\n)?/, '')
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => paint(raw ? line : harmless(line), style));
}

/** A tab is how the text is indented; anything else would move the cursor. */
const harmless = (line: string): string => line.split('\t').map(plain).join('\t');

function paint(line: string, style: Style): string {
  if (line.startsWith('+++') || line.startsWith('---')) return style.bold(line);
  if (line.startsWith('@@')) return style.cyan(line);
  if (line.startsWith('+')) return style.green(line);
  return line.startsWith('-') ? style.red(line) : line;
}

function notesOf(file: FileDiff): string[] {
  const { before, after, moved_from, moved_to, copied_from, binary, left_out } = file;
  const notes = [
    moved_from && `moved from ${plain(moved_from)}`,
    moved_to && `moved to ${plain(moved_to)}`,
    copied_from && `copied from ${plain(copied_from)}`,
    moved_to ? null : kindNote(before, after),
    modeNote(before, after),
    binary && `binary: ${sizeOf(before)} → ${sizeOf(after)} bytes`,
    left_out && `no diff: ${left_out} (${sizeOf(before)} → ${sizeOf(after)} bytes)`,
  ];
  return notes.filter((note): note is string => Boolean(note));
}

/** What is no change of a file's text says itself in words. */
function kindNote(before: PathState, after: PathState): string | null {
  if (before.kind === 'file' && after.kind === 'file') return null;
  if (before.kind === 'directory' && after.kind === 'directory') return null;
  if (before.kind === 'absent') return `new ${plain(describePathState(after))}`;
  if (after.kind === 'absent') return `removed ${plain(describePathState(before))}`;
  return plain(`${describePathState(before)} → ${describePathState(after)}`);
}

function modeNote(before: PathState, after: PathState): string | null {
  if (!('mode' in before && 'mode' in after) || before.mode === after.mode) return null;
  return `mode ${octal(before.mode)} → ${octal(after.mode)}`;
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');
const sizeOf = (state: PathState): number => (state.kind === 'file' ? state.size : 0);
