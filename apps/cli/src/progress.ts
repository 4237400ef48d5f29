import type { CliIo } from './cli-io.js';

/** What takes no longer is not worth a word. */
const QUIET_MS = 1_000;

interface Spinner {
  text: string;
  stop(): unknown;
}

/** Says on stderr what is going on, where somebody watches and it takes over a second. */
export class Progress {
  private timer: NodeJS.Timeout | undefined;
  private spinner: Spinner | undefined;
  private stopped = false;

  constructor(
    io: Pick<CliIo, 'stderrIsTty' | 'env'>,
    private text: string,
    private readonly start: (text: string) => Promise<Spinner> = spinnerIn(io.env),
    quietMs = QUIET_MS,
  ) {
    if (io.stderrIsTty) this.timer = setTimeout(() => void this.show(), quietMs).unref();
  }

  update(text: string): void {
    this.text = text;
    if (this.spinner) this.spinner.text = text;
  }

  /** Clears the line; nothing is shown from here on. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.spinner?.stop();
    this.spinner = undefined;
  }

  private async show(): Promise<void> {
    const spinner = await this.start(this.text);
    if (this.stopped) spinner.stop();
    else this.spinner = spinner;
  }
}

const spinnerIn =
  ({ NO_COLOR }: NodeJS.ProcessEnv) =>
  async (text: string): Promise<Spinner> => {
    const { default: ora } = await import('ora');
    // Stdin is for answers, and Ctrl-C for the process.
    return ora({ text, color: NO_COLOR ? false : 'cyan', stream: process.stderr, discardStdin: false }).start();
  };
