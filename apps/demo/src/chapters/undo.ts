import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../launchers.js';
import type { Scene } from '../scene.js';

interface LeftOut {
  readonly path: string;
  readonly why: string;
  readonly expected: { kind: string; hash?: string };
  readonly found: { kind: string; hash?: string };
}

export interface Undone {
  readonly plan: { readonly plan_hash: string };
  readonly report: {
    readonly outcome: string;
    readonly left_out: readonly LeftOut[];
    readonly merged: readonly string[];
    readonly logical_operation_id: string;
  };
}

/** Into the work of `retrace undo`: it takes about that long to start. */
const MEANWHILE_MS = 500;

/** Runs `retrace undo` (or `redo`) without a question and expects its exit status. With `kill`, that service dies meanwhile. */
export async function undo(
  scene: Scene,
  args: readonly string[],
  { status = 0, kill }: { status?: number; kill?: Service } = {},
): Promise<Undone> {
  const running = scene.cli.json<Undone>([...args, '--yes'], status);
  if (kill === undefined) return running;
  const killing = sleep(MEANWHILE_MS).then(() => scene.kill(kill, 'while it was undone'));
  const [undone] = await Promise.all([running, killing]);
  return undone;
}
