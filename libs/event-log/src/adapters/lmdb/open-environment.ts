import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';

/**
 * Opens a service's own LMDB environment: one file, one owning process. `process`: a commit survives the process,
 * the system writes it out in its own time; `power`: it is synced before it counts.
 */
export function openEnvironment(folder: string, name: string, durability: 'process' | 'power'): RootDatabase {
  return open({
    path: join(folder, `${name}.mdb`),
    noSubdir: true,
    maxDbs: 32,
    // With it a failed commit also rejects a promise inside LMDB's wrapper that nobody can handle.
    eventTurnBatching: false,
    // With it a transaction would count as committed before it is on the disk.
    overlappingSync: false,
    ...(durability === 'process' ? { noSync: true } : {}),
  });
}
