#!/usr/bin/env node
// Reads the log of the running system without a service and folds it into an empty file: whoever does the same must come
// to the same hash, and a system that has stopped has it in its own file.
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { JetStreamEventLog } from '@retrace/event-log';
import { connectBus, CredentialStore, readRuntime, retraceHome } from '@retrace/messaging';
import { canonicalHash, ReadModels, replayInto } from '@retrace/read-models';

const USAGE = `replay FILE          folds the log of the system that runs on RETRACE_HOME into a new SQLite file;
                     prints the newest sequence and the canonical hash of all rows
replay --hash FILE   prints the canonical hash of read models that nobody has open, such as
                     $RETRACE_HOME/data/projection/read-models.sqlite of a system that has stopped`;

async function withModels(file, work) {
  const models = await ReadModels.open({ kind: 'sqlite', file });
  try {
    return await work(models);
  } finally {
    await models.close();
  }
}

/** The log as projection may read it. */
async function withLog(work) {
  const home = retraceHome();
  const runtime = await readRuntime(home);
  if (!runtime) throw new Error(`no system runs on ${home.folder}: retrace up, or name another with RETRACE_HOME`);
  const credential = (await new CredentialStore(home.nats).read()).services.projection;
  if (!credential) throw new Error(`${home.nats} has no credentials of services: this is not the system's own folder`);
  const connection = await connectBus({ url: runtime.url, ...credential, name: 'retrace/replay' });
  try {
    return await work(await JetStreamEventLog.open(connection));
  } finally {
    await connection.close();
  }
}

async function replay(file) {
  if (existsSync(file)) throw new Error(`${file} is there already: a replay begins with nothing, so name a new file`);
  const [sequence, hash] = await withLog((log) =>
    withModels(file, async (models) => [await replayInto(models, log), await canonicalHash(models)]),
  );
  console.log(`sequence ${sequence}\n${hash}`);
}

async function printHash(file) {
  if (!existsSync(file)) throw new Error(`${file} is not there: nothing was hashed`);
  console.log(await withModels(file, canonicalHash));
}

const [first, second, ...more] = process.argv.slice(2);
if (first === '--hash' && second !== undefined && more.length === 0) await run(() => printHash(second));
else if (first !== undefined && !first.startsWith('-') && second === undefined) await run(() => replay(first));
else {
  console.error(USAGE);
  process.exitCode = 2;
}

async function run(work) {
  try {
    await work();
  } catch (error) {
    console.error(`replay: ${error.message}`);
    process.exitCode = 1;
  }
}
