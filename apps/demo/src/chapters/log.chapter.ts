import type { JobName } from '../agents/jobs/index.js';
import type { Scene } from '../scene.js';
import type { Chapter } from './chapter.js';

interface LogEntry {
  readonly logical_operation_id: string | null;
  readonly status: string;
  readonly session_id: string | null;
  readonly task: string | null;
  readonly tool: string | null;
  readonly reason: string | null;
  readonly rule: string | null;
  readonly operations: readonly { operation_id: string | null }[];
}

/** The log answers who, what and why; projection, which answers, dies before it is asked. */
export const log: Chapter = {
  title: 'the log is read',
  async play(scene) {
    const { cli, narrator } = scene;
    await scene.kill('projection', 'before the log was read');
    const { entries } = await cli.json<{ entries: LogEntry[] }>(['log']);
    for (const job of ['research', 'writing', 'review'] as const) expectEntries(scene, job, entries);
    if (!entries.some((entry) => entry.status === 'denied' && entry.rule === 'others-keep-out'))
      throw new Error('the log does not hold the denial');
    narrator.step('the log says who, what, why, in which session and logical operation', `${entries.length} entries`);
    narrator.show(await cli.text(['log', '--limit', '5']));
    await showOperation(
      scene,
      entries.findLast(({ session_id }) => session_id === scene.sessionOf('writing'))!,
    );
    await why(scene);
  },
};

function expectEntries(scene: Scene, job: JobName, entries: readonly LogEntry[]): void {
  const own = entries.filter(({ session_id, status }) => session_id === scene.sessionOf(job) && status === 'applied');
  if (own.length === 0) throw new Error(`the log holds nothing of ${job}`);
  for (const entry of own) {
    const { task, reason, tool, logical_operation_id, operations } = entry;
    if (!task || !reason || !tool || !logical_operation_id || operations.length === 0)
      throw new Error(`an entry of ${job} does not say all: ${JSON.stringify(entry)}`);
  }
}

async function showOperation({ cli, narrator }: Scene, { operations }: LogEntry): Promise<void> {
  const id = operations.at(-1)!.operation_id!;
  const shown = await cli.json<{ operations: Record<string, unknown>[] }>(['show', id]);
  const record = shown.operations[0] ?? {};
  const missing = RECORD_FIELDS.filter((field) => !(field in record));
  if (missing.length > 0) throw new Error(`retrace show ${id} lacks ${missing.join(', ')}`);
  narrator.step('an operation shows its whole record', `${RECORD_FIELDS.length} fields`);
}

async function why({ cli, narrator, stage }: Scene): Promise<void> {
  const path = `${stage.targets.docs}/findings/conflicts.md`;
  const text = await cli.text(['why', path]);
  for (const name of ['reviewer', 'researcher'])
    if (!text.includes(name)) throw new Error(`retrace why ${path} does not name the ${name}`);
  narrator.step('a file says who wrote it, and why', path);
  narrator.show(text);
}

const RECORD_FIELDS = [
  'operation_id',
  'logical_operation_id',
  'session_id',
  'agent_id',
  'tool',
  'model',
  'action',
  'path',
  'parameters',
  'provenance',
  'trace_id',
  'rollback_instruction',
  'state_snapshot_before',
  'state_snapshot_after',
  'decision',
  'duration_ms',
  'undo_coverage',
];
