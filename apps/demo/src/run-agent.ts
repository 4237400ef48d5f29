import { fileURLToPath } from 'node:url';
import { runProcess } from './run-process.js';

const AGENT = fileURLToPath(new URL('./agents/agent.js', import.meta.url));

export type AgentLine = Readonly<Record<string, unknown>>;

/**
 * Runs one agent as a process of its own: all it knows comes through its standard input. `onHalfway` is called when it
 * says so; the agent does not wait for it.
 */
export async function runAgent(assignment: unknown, onHalfway?: () => void): Promise<AgentLine[]> {
  const lines: AgentLine[] = [];
  const onLine = (text: string): void => {
    if (!text.startsWith('{')) return;
    const line = JSON.parse(text) as AgentLine;
    lines.push(line);
    if ('halfway' in line) onHalfway?.();
  };
  const { status, stderr } = await runProcess(process.execPath, [AGENT], {
    env: { PATH: process.env['PATH'] },
    input: JSON.stringify(assignment),
    onLine,
  });
  if (status !== 0) throw new Error(`an agent ended with ${status}:\n${stderr}`);
  return lines;
}
