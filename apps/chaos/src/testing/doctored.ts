import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Message {
  sequence: number;
  subject: string;
  headers: Record<string, string>;
  body: string;
}
interface State {
  kind: string;
  hash?: string;
  mode?: number;
}
interface Line {
  at: string;
  as?: string;
  sequence?: number;
  intent: string;
  n?: number;
  kind?: string;
}

/** What the checker reads, as files that can be tampered with. */
export class Evidence {
  constructor(private readonly folder: string) {}

  log(change: (messages: Message[]) => Message[]): void {
    this.lines('log.jsonl', change);
  }

  inbox(change: (messages: Message[]) => Message[]): void {
    this.lines('inbox.jsonl', change);
  }

  /** The first agent's journal. */
  journal(change: (lines: Line[]) => Line[]): void {
    const [name] = readdirSync(join(this.folder, 'journals'));
    this.lines(`journals/${name}`, change);
  }

  tree(change: (tree: Record<string, State>) => void): void {
    this.json('tree.json', change);
  }

  control(change: (control: Record<string, string[]>) => void): void {
    this.json('control.json', change);
  }

  dropBlob(hash: string): void {
    rmSync(join(this.folder, 'blobs', hash));
  }

  private json<T>(name: string, change: (value: T) => void): void {
    const file = join(this.folder, name);
    const value = JSON.parse(readFileSync(file, 'utf8')) as T;
    change(value);
    writeFileSync(file, JSON.stringify(value));
  }

  private lines<T>(name: string, change: (lines: T[]) => T[]): void {
    const file = join(this.folder, name);
    const text = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const changed = change(text.map((line) => JSON.parse(line) as T));
    writeFileSync(file, changed.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

/** A tampered copy of what was collected. */
export function doctored(evidence: string, doctor: (copy: Evidence) => void): string {
  const copy = mkdtempSync(join(tmpdir(), 'retrace-doctored-'));
  cpSync(evidence, copy, { recursive: true });
  doctor(new Evidence(copy));
  return copy;
}

const isApplied = ({ subject, body }: Message): boolean =>
  subject.endsWith('.operation.applied') && body.includes('"kind":"operation"');
const middle = <T>(all: readonly T[]): T => all[Math.floor(all.length / 2)]!;
const without = (messages: Message[], gone: Message): Message[] => messages.filter((message) => message !== gone);
const firstFile = (tree: Record<string, State>): string =>
  Object.keys(tree).findLast((path) => tree[path]!.kind === 'file')!;

/** The event once more behind all others, under another id. */
function again(messages: Message[]): Message[] {
  const message = middle(messages.filter(isApplied));
  const headers = { ...message.headers, 'ce-id': message.headers['ce-id']!.replace('evt_', 'evt_2') };
  return [...messages, { ...message, headers, sequence: messages.at(-1)!.sequence + 1 }];
}

/** Two outcomes change places, their sequences too: as a log that was written in another order. */
function swapped(messages: Message[]): Message[] {
  const applied = messages.filter(isApplied);
  const at = Math.floor(applied.length / 2);
  const [a, b] = [applied[at]!, applied[at + 1]!];
  return messages.map((message) => {
    if (message === a) return { ...b, sequence: a.sequence };
    return message === b ? { ...a, sequence: b.sequence } : message;
  });
}

function recordedHash(messages: Message[]): string {
  return /"state_snapshot_after":\{"state":\{"kind":"file","hash":"([0-9a-f]{64})"/.exec(
    middle(messages.filter((message) => isApplied(message) && message.body.includes('"content_hash":"'))).body,
  )![1]!;
}

/** Each is something that must not happen; the checker must say so. */
export const DOCTORINGS: readonly { name: string; doctor: (copy: Evidence) => void; finding: RegExp }[] = [
  {
    name: 'an acknowledged outcome that is not in the log',
    doctor: (copy) => copy.log((all) => without(all, middle(all.filter(isApplied)))),
    finding: /was told applied at \d+; the log has nothing[^]*lost [1-9]/,
  },
  {
    name: 'an outcome that is in the log twice, under two ids',
    doctor: (copy) => copy.log(again),
    finding: /ended 2 times: applied at \d+, applied at \d+[^]*doubled [1-9]/,
  },
  {
    name: 'outcomes in another order than their authorities',
    doctor: (copy) => copy.log(swapped),
    finding: /a later authority \(\d+\) was carried out before its own[^]*out of order [1-9]/,
  },
  {
    name: 'an agent that was told another sequence than the log’s',
    doctor: (copy) =>
      copy.journal((lines) =>
        lines.map((line) => (line.as === 'applied' ? { ...line, sequence: line.sequence! + 1 } : line)),
      ),
    finding: /was told \d+; its event stands at \d+/,
  },
  {
    name: 'an outcome that was denied to an agent that was told it was applied',
    doctor: (copy) =>
      copy.journal((lines) => lines.map((line) => (line.as === 'applied' ? { ...line, as: 'denied' } : line))),
    finding: /was told denied at \d+; the log has applied/,
  },
  {
    name: 'calls of a session applied in another order than they were asked',
    doctor: (copy) =>
      copy.journal((lines) => {
        const last = lines.filter(({ at }) => at === 'asked').length;
        return lines.map((line) => (line.at === 'asked' ? { ...line, n: last - line.n! } : line));
      }),
    finding: /was asked before .*, which was applied first/,
  },
  {
    name: 'a file that was changed on the disk',
    doctor: (copy) => copy.tree((tree) => (tree[firstFile(tree)]!.hash = 'f'.repeat(64))),
    finding: /on the disk is file ffffffffffff/,
  },
  {
    name: 'a mode that was changed on the disk',
    doctor: (copy) => copy.tree((tree) => (tree[firstFile(tree)]!.mode = 0o111)),
    finding: /on the disk is file .* 111/,
  },
  {
    name: 'a file that is gone',
    doctor: (copy) => copy.tree((tree) => delete tree[firstFile(tree)]),
    finding: /on the disk is absent/,
  },
  {
    name: 'a file that nobody recorded',
    doctor: (copy) => copy.tree((tree) => (tree['stray.md'] = { kind: 'other' })),
    finding: /stray\.md: on the disk is other; no record knows of it/,
  },
  {
    name: 'an intent that has no outcome',
    doctor: (copy) =>
      copy.journal((lines) => [...lines, { at: 'asked', n: 1_000_000, kind: 'apply', intent: 'int_x' }]),
    finding: /int_x\) has no outcome in the log/,
  },
  {
    name: 'an intent that lies undecided at the door',
    doctor: (copy) =>
      copy.inbox((all) => [
        ...all,
        {
          sequence: 1,
          subject: '',
          headers: {},
          body: JSON.stringify({ intent_id: 'int_y', type: 'operation.apply' }),
        },
      ]),
    finding: /int_y lies undecided/,
  },
  {
    name: 'an outcome that nobody asked for',
    doctor: (copy) => copy.journal(() => []),
    finding: /nobody asked it/,
  },
  {
    name: 'a content that cannot be read',
    doctor: (copy) =>
      copy.log((all) => {
        copy.dropBlob(recordedHash(all));
        return all;
      }),
    finding: /[0-9a-f]{64} cannot be read/,
  },
  {
    name: 'something that was left in staging',
    doctor: (copy) => copy.control((control) => control['staging']!.push('0-1-x')),
    finding: /0-1-x was left in staging/,
  },
];
