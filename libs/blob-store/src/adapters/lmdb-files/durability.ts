import { open } from 'node:fs/promises';

/** What an acknowledged blob survives: any process dying, or the machine losing power as well. */
export type Durability = 'process' | 'power';

/** Makes the names inside a folder survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
