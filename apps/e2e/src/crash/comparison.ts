import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { treeOf } from '@retrace/testing';
import { Actors } from './actors.js';
import type { Errand } from './errand.js';
import { isUnderWay, leftovers } from './leftovers.js';
import { type Logged, PlainBus } from './plain-log.js';
import { replayedTree } from './replayed-tree.js';
import type { TriedSystem } from './tried-system.js';
import { untouchables } from './untouched.js';

/** Paths with their kinds and modes; contents name the folder. */
export function shapeOf(root: string, folder: string): Record<string, string> {
  const tree = treeOf(root, folder);
  return Object.fromEntries(
    Object.entries(tree).map(([path, state]) => [path.slice(folder.length), state.split(' ', 2).join(' ')]),
  );
}

/** Ends an intent, each in its way; a rollback ends with its report. */
const ENDS =
  /^retrace\.(operation\.(applied|failed)|intent\.denied|session\.(opened|completed)|logical_operation\.(opened|committed)|rollback\.completed)\.v1$/;

/** Compares log, disk, contents and read models, by code that shares nothing with the services. */
export class Comparison {
  private readonly untouched: Record<string, string>;
  private readonly verified = new Set<string>();

  constructor(private readonly tried: TriedSystem) {
    this.untouched = untouchables(tried.folder);
  }

  /** Throws where they differ. */
  async look(errands: readonly Errand[]): Promise<void> {
    const { system, folder, workspace } = this.tried;
    const bus = await PlainBus.connect(system.url, system.home.folder);
    try {
      const log = await bus.log();
      assert.equal(new Set(log.map(({ id }) => id)).size, log.length, 'an event stands twice in the log');
      for (const errand of errands) assertTold(log, errand);
      assert.deepEqual(seen(treeOf(folder)), seen(await replayedTree(log, workspace, bus)));
      assert.deepEqual(untouchables(folder), this.untouched);
      await this.contents(log, bus);
      const left = leftovers(folder, system.home.data);
      // An upload whose agent went away midway goes on; it is the store's until the store closes.
      assert.deepEqual(
        left.filter((file) => !isUnderWay(file)),
        [],
      );
      await this.answers(log, errands);
    } finally {
      await bus.close();
    }
  }

  /** Of all contents, those that were verified before too. */
  lookAtAll(errands: readonly Errand[]): Promise<void> {
    this.verified.clear();
    return this.look(errands);
  }

  private async contents(log: readonly Logged[], bus: PlainBus): Promise<void> {
    for (const hash of new Set(log.flatMap(({ data }) => hashesIn(data)))) {
      if (this.verified.has(hash)) continue;
      const content = await bus.blob(hash);
      assert.equal(createHash('sha256').update(content).digest('hex'), hash);
      this.verified.add(hash);
    }
  }

  /** Projection says the same of each intent as the log. */
  private async answers(log: readonly Logged[], errands: readonly Errand[]): Promise<void> {
    const actors = await Actors.connect(this.tried.system, this.tried.workspace);
    try {
      for (const [intentId, sequence] of errands.flatMap(({ acknowledged }) => [...acknowledged])) {
        const outcome = await actors.operator.outcome(intentId);
        const { type } = log.find((event) => event.sequence === sequence)!;
        assert.deepEqual([outcome.type, outcome.sequence], [type, sequence]);
      }
    } finally {
      await actors.close();
    }
  }
}

const seen = (tree: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tree)
      .filter(([path]) => !/(^|\/)\.git(\/|$)/.test(path))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Whoever was told something finds it in the log, once, where it was said to be. */
function assertTold(log: readonly Logged[], { acknowledged, folder }: Errand): void {
  for (const [intent, sequence] of acknowledged) {
    const ends = log.filter((event) => event.intent === intent && ENDS.test(event.type));
    const last = ends.filter(({ data }) => data['kind'] !== 'rollback');
    assert.deepEqual(
      last.map((event) => event.sequence),
      [sequence],
      `${intent} of ${folder}`,
    );
  }
}

const BLOB_KEYS = new Set(['hash', 'content_hash', 'manifest_hash']);

/** Every content that an event names, wherever it stands in it. */
function hashesIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return BLOB_KEYS.has(key) && /^[0-9a-f]{64}$/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => hashesIn(inner, Array.isArray(value) ? key : name));
}
