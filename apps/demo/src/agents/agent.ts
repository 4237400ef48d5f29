import { connect } from '@retrace/client';
import type { Targets } from '../targets.js';
import { type JobName, JOBS } from './jobs/index.js';
import { surely } from './surely.js';

/** What an agent process is told: where the bus is, who it is, and its work. Nothing of the machine behind it. */
interface Assignment {
  readonly url: string;
  readonly credentials: { principal: string; user: string; password: string };
  readonly workspace: string;
  readonly targets: Targets;
  readonly job: JobName;
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const say = (line: Record<string, unknown>): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

const assignment = JSON.parse(await readStandardInput()) as Assignment;
const { targets, job } = assignment;
const work = JOBS[job];
const retrace = await connect(assignment);
try {
  const session = await retrace.openSession({
    task: work.task,
    conversationId: 'demo',
    model: { id: 'none', version: '1' },
  });
  say({ session: session.id });
  await work.run({ retrace, session, targets, halfway: () => say({ halfway: job }) });
  await surely((intentId) => session.complete({ intentId }));
} finally {
  await retrace.close();
}
