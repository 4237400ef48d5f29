import { spawn } from 'node:child_process';

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Called with each whole line of the standard output as it comes. */
  readonly onLine?: (line: string) => void;
}

/** Runs a process to its end. */
export function runProcess(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { env, input = '', onLine } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let told = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      for (let end = stdout.indexOf('\n', told); end >= 0; end = stdout.indexOf('\n', told)) {
        onLine?.(stdout.slice(told, end));
        told = end + 1;
      }
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ status: code ?? 1, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
