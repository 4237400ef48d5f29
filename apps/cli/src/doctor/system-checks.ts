import type { RetraceSystem } from '@retrace/client';
import { BlobCheck, FsCheck, SERVICES } from '@retrace/contracts';
import type { Invocation } from '../invocation.js';
import { statusOf } from '../system/system-status.js';
import { type Area, type Finding, finding, findingsOf } from './finding.js';

/** What the running system says of itself; `reachable: false`: nothing, for it does not run, or not as it should. */
export async function systemFindings(invocation: Invocation): Promise<{ findings: Finding[]; reachable: boolean }> {
  let system: RetraceSystem;
  try {
    system = await invocation.system();
  } catch (error) {
    return { findings: notThere(error, invocation), reachable: false };
  }
  const asked = await Promise.all([services(system), log(system), blobs(system), workspaces(system)]);
  return { findings: asked.flat(), reachable: true };
}

function notThere(error: unknown, { home }: Invocation): Finding[] {
  const remedy = `retrace up; if it does not come up: ${home.standaloneLog}`;
  const blobs = 'not looked at: the system has to run for that';
  return [
    finding({ area: 'bus', where: 'bus', status: 'failed', found: messageOf(error), remedy }),
    finding({ area: 'blobs', where: 'blobs', status: 'warning', found: blobs, remedy: 'retrace up, then again' }),
  ];
}

async function services(system: RetraceSystem): Promise<Finding[]> {
  const answers = await Promise.all(SERVICES.map((service) => statusOf(system, service)));
  return answers.flatMap(({ service, state, message, pid, problems }) => {
    const base = { area: 'bus', where: service } as const;
    const remedy = 'retrace status; where it stays so: retrace down, retrace up';
    if (state !== 'ready') return [finding({ ...base, status: 'failed', found: message ?? state, remedy })];
    const well = finding({ ...base, status: 'ok', found: `answers (process ${pid})` });
    return [well, ...problems.map((found) => finding({ ...base, status: 'failed', found, remedy }))];
  });
}

const log = (system: RetraceSystem): Promise<Finding[]> =>
  looking('bus', 'log', async () => {
    const { last_sequence, lag, rejected, unknown = 0 } = await system.status();
    const base = { area: 'bus', where: 'log' } as const;
    const found = `${last_sequence} events, ${lag} not in the read models yet`;
    const rejects = { found: `${rejected} events were rejected`, remedy: 'retrace rebuild reads them once more' };
    const strangers = {
      found: `${unknown} events are of kinds that this version does not know`,
      remedy: 'they are from a newer version: go on with that, then retrace rebuild',
    };
    return [
      finding({ ...base, status: 'ok', found }),
      ...(rejected > 0 ? [finding({ ...base, status: 'warning', ...rejects })] : []),
      ...(unknown > 0 ? [finding({ ...base, status: 'warning', ...strangers })] : []),
    ];
  });

const blobs = (system: RetraceSystem): Promise<Finding[]> =>
  looking('blobs', 'blobs', async () =>
    findingsOf('blobs', (await system.call(BlobCheck, {})).checks, 'blobs').map(asBlobs),
  );

/** The store's disk is its own. */
const asBlobs = (one: Finding): Finding => ({ ...one, area: 'blobs' });

const workspaces = (system: RetraceSystem): Promise<Finding[]> =>
  looking('bus', 'workspaces', async () => {
    const { workspaces: known } = await system.workspaces();
    const each = known.map(({ name }) =>
      looking('path', name, async () => {
        const retrace = await system.workspace(name);
        return findingsOf(name, (await retrace.call(FsCheck, {})).checks, 'path');
      }),
    );
    return (await Promise.all(each)).flat();
  });

/** What cannot be looked at is a finding too. */
async function looking(area: Area, where: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  return look().catch((error: unknown) => [
    finding({ area, where, status: 'failed', found: messageOf(error), remedy: 'retrace status; then try again' }),
  ]);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
