import { createInterface } from 'node:readline';
import { connect } from '@retrace/client';
import type { Assignment } from '../agent-process.js';
import { Random } from '../random.js';
import { Asking } from './asking.js';
import { Journal } from './journal.js';
import { Worker } from './worker.js';

/** Calls that an agent has under way at the same time. */
const AT_ONCE = 5;
/** Until an outcome counts as unknown and is asked for again. */
const TIMEOUT_MS = 8_000;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const assignment = JSON.parse((await lines.next()).value as string) as Assignment;
const { url, credentialsFile, workspace, agent, seed, shared } = assignment;
const journal = new Journal(assignment.journal);
const retrace = await connect({ url, credentialsFile, workspace, timeoutMs: TIMEOUT_MS });
const stopped = new AbortController();
// An input that ends is a harness that is gone.
void lines.next().then(() => stopped.abort());

const asking = new Asking(agent, journal);
const workers = Array.from(
  { length: AT_ONCE },
  (_, i) => new Worker(retrace, asking, new Random(seed * 100 + i), { agent, number: i, shared }),
);
process.stdout.write('ready\n');
await Promise.all(workers.map((worker) => worker.run(stopped.signal)));
await retrace.close();
journal.close();
process.exit(0);
