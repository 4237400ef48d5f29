import type { CliIo } from '../cli-io.js';

/** A terminal, or none, whose output a spec reads. */
export interface FakeIo extends CliIo {
  readonly out: () => string;
  readonly err: () => string;
}

export function fakeIo(
  world: Partial<Pick<CliIo, 'env' | 'cwd' | 'stdoutIsTty' | 'stderrIsTty' | 'canAsk' | 'stdinIsGiven' | 'columns'>> & {
    stdin?: string;
    answer?: boolean;
    interrupted?: AbortSignal;
  } = {},
): FakeIo {
  const { stdin, answer = false, interrupted = new AbortController().signal, ...rest } = world;
  let out = '';
  let err = '';
  return {
    env: {},
    cwd: '/',
    stdoutIsTty: false,
    stderrIsTty: false,
    canAsk: false,
    stdinIsGiven: stdin !== undefined,
    columns: undefined,
    ...rest,
    write: (text) => void (out += typeof text === 'string' ? text : Buffer.from(text).toString('utf8')),
    writeError: (text) => void (err += text),
    readStdin: () => Promise.resolve(Buffer.from(stdin ?? '')),
    confirm: () => Promise.resolve(answer),
    interruption: () => interrupted,
    out: () => out,
    err: () => err,
  };
}
