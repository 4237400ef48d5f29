import type { StoreHealth } from '@retrace/blob-store';
import type { Check } from '@retrace/contracts';

const MIB = 1024 ** 2;
/** Below this a pre-image may not find room: every change of a file needs its former content kept. */
const TOO_LITTLE = 128 * MIB;
const LITTLE = 2048 * MIB;
const LITTLE_SHARE = 0.05;

/** What a look at the blob store comes to, for people: each thing with what was found and, where it is not well, what to do. */
export const checksOf = (health: StoreHealth): Check[] => [probeCheck(health), diskCheck(health), indexCheck(health)];

function probeCheck({ place, probe }: StoreHealth): Check {
  const check = 'blob store takes and gives content';
  if ('bytes' in probe)
    return { check, status: 'ok', found: `${probe.bytes} bytes written to ${place} and read back`, remedy: null };
  return {
    check,
    status: 'failed',
    found: `${place}: ${probe.problem}`,
    remedy: `see that ${place} is mounted, writable for this account and not full, then restart: retrace down, retrace up`,
  };
}

function diskCheck({ place, disk }: StoreHealth): Check {
  const check = 'disk of the blob store';
  if (!disk)
    return { check, status: 'warning', found: `the disk of ${place} cannot be measured`, remedy: `run: df ${place}` };
  const found = `${inMib(disk.free)} MiB of ${inMib(disk.total)} MiB free at ${place}`;
  const status = statusOf(disk);
  const remedy = `free space on the disk of ${place}: without it no file can be changed, because its former content must be kept`;
  return { check, status, found, remedy: status === 'ok' ? null : remedy };
}

function statusOf({ free, total }: { free: number; total: number }): Check['status'] {
  if (free < TOO_LITTLE) return 'failed';
  return free < LITTLE && free < total * LITTLE_SHARE ? 'warning' : 'ok';
}

function indexCheck({ place, index }: StoreHealth): Check {
  const check = 'index of the blob store';
  if (index === 'present')
    return { check, status: 'ok', found: `the index in ${place} is the one in use`, remedy: null };
  return {
    check,
    status: 'failed',
    found: `the index in ${place} was removed or replaced while it was in use: at the next start its contents are gone`,
    remedy: `stop taking changes, bring the index file back from a backup of ${place}, then restart: retrace down, retrace up`,
  };
}

const inMib = (bytes: number): number => Math.floor(bytes / MIB);
