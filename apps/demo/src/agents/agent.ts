import { connect, IntentDeniedError } from '@retrace/client';
import type { Targets } from '../targets.js';
import { type AgentName, JOBS, TASKS } from './jobs.js';
import { textFor } from './texts.js';

/** What an agent process is told: where the bus is, who it is, and its work. Nothing of the machine behind it. */
interface Assignment {
  readonly url: string;
  readonly credentials: { principal: string; user: string; password: string };
  readonly workspace: string;
  readonly targets: Targets;
  /** Instead of its job: try to write here, where the policy does not let it. */
  readonly trespass?: string;
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const assignment = JSON.parse(await readStandardInput()) as Assignment;
const agent = assignment.credentials.principal as AgentName;
const retrace = await connect(assignment);
try {
  const session = await retrace.openSession({
    task: TASKS[agent],
    conversationId: 'demo',
    model: { id: 'none', version: '1' },
  });
  if (assignment.trespass === undefined) await JOBS[agent](session, retrace, assignment.targets);
  else await trespass(session, assignment.trespass);
  await session.complete();
  process.stdout.write(`${JSON.stringify({ session: session.id })}\n`);
} finally {
  await retrace.close();
}

/** Succeeds only by being denied: prints the rule that did it. */
async function trespass(session: Awaited<ReturnType<typeof retrace.openSession>>, path: string): Promise<void> {
  try {
    await session.write(path, textFor(agent, path), { reason: 'out of curiosity' });
  } catch (error) {
    if (!(error instanceof IntentDeniedError)) throw error;
    process.stdout.write(
      `${JSON.stringify({ denied: { code: error.code, rule: error.rule, message: error.message } })}\n`,
    );
    return;
  }
  throw new Error(`${path} was written, and should not have been`);
}
