import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';

/** Everything a command sees of the world around it, so that specs can be that world. */
export interface CliIo {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdoutIsTty: boolean;
  /** With a width: progress can be shown there. */
  readonly stderrIsTty: boolean;
  /** Somebody is there to be asked. */
  readonly canAsk: boolean;
  /** Stdin is a pipe or a file: somebody means something to be read from it. */
  readonly stdinIsGiven: boolean;
  /** Of the terminal, where there is one. */
  readonly columns: number | undefined;
  write(output: string | Uint8Array): void;
  writeError(text: string): void;
  /** All of stdin, or its beginning: reading stops once there is more than `enough`. */
  readStdin(enough?: number): Promise<Uint8Array>;
  /** Asks a yes-or-no question; anything but yes is no. */
  confirm(question: string): Promise<boolean>;
  /** Aborted by the first Ctrl-C (or SIGTERM); a second one ends the process, as it does anywhere. */
  interruption(): AbortSignal;
}

export const processIo = (): CliIo => ({
  env: process.env,
  cwd: process.cwd(),
  stdoutIsTty: isTerminal(process.stdout),
  // A terminal that says it has no columns (a recorder's) cannot show progress: lines are counted by its width.
  stderrIsTty: isTerminal(process.stderr) && process.stderr.columns > 0,
  canAsk: isTerminal(process.stdin) && isTerminal(process.stderr),
  stdinIsGiven: isPipeOrFile(0),
  columns: process.stdout.columns,
  write: (output) => void process.stdout.write(output),
  writeError: (text) => void process.stderr.write(text),
  readStdin,
  confirm,
  interruption,
});

/** A stream that is no terminal has no `isTTY` at all, whatever its type says. */
const isTerminal = (stream: { readonly isTTY?: boolean }): boolean => stream.isTTY ?? false;

/** /dev/null and a stdin that was closed are neither: nobody wrote an empty file there. A pipe of Node is a socket. */
export function isPipeOrFile(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    return false;
  }
}

async function readStdin(enough = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > enough) break;
  }
  return Buffer.concat(chunks);
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  return controller.signal;
}

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
