import { randomUUID } from 'node:crypto';
import ts from 'typescript';

/** A block of a page that is run, and what the page says it prints. */
export interface Example {
  /** Of its first line in the page, from 1. */
  readonly line: number;
  readonly code: string;
  /** Without the line end; empty where the page shows no output. */
  readonly output: string;
}

const BLOCK = /^```(ts|text)\n([\s\S]*?)^```$/gm;

/** Reads the `ts` blocks of a page; a `text` block belongs to the one before it. */
export function examplesOf(page: string): Example[] {
  const examples: Example[] = [];
  for (const { 1: language, 2: body, index } of page.matchAll(BLOCK)) {
    const last = examples.at(-1);
    if (language === 'ts')
      examples.push({ line: page.slice(0, index).split('\n').length + 1, code: body!, output: '' });
    else if (last) examples[examples.length - 1] = { ...last, output: body!.trimEnd() };
  }
  return examples;
}

/** One program of all examples, and how what it prints is told apart again. */
export function programOf(examples: readonly Example[]): { source: string; outputsOf: (stdout: string) => string[] } {
  const mark = `-- ${randomUUID()}`;
  const text = examples.map(({ code }) => `${code}\nconsole.log(${JSON.stringify(mark)});\n`).join('\n');
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  const outputsOf = (stdout: string): string[] => stdout.split(`${mark}\n`).map((output) => output.trimEnd());
  return { source: outputText, outputsOf };
}
