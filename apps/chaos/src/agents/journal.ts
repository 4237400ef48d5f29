import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';

/** What an agent asked and was told, a line each, on the disk before the agent goes on. */
export class Journal {
  private readonly fd: number;

  constructor(file: string) {
    this.fd = openSync(file, 'a', 0o600);
  }

  note(line: Readonly<Record<string, unknown>>): void {
    writeSync(this.fd, `${JSON.stringify(line)}\n`);
    fdatasyncSync(this.fd);
  }

  close(): void {
    closeSync(this.fd);
  }
}
