import type { Principal, RestoreStep, WorkspacePath } from '@retrace/contracts';
import type { IndexedOperation } from './operation-index.js';
import type { PathChange } from './way-back.js';

type Kept = RestoreStep['keeps'][number];

/** What is taken back at one path. */
export interface Chain {
  readonly path: WorkspacePath;
  /** Newest first. */
  readonly operations: IndexedOperation[];
  how: RestoreStep['how'];
  /** By logical operation. */
  readonly keeps: Map<string, Kept>;
  /** Whose work it goes over. */
  readonly over: Set<Principal>;
}

/** The chains of a walk, by path. */
export class Chains {
  private readonly byPath = new Map<string, Chain>();

  add(change: PathChange): void {
    const chain = this.at(change.path);
    chain.operations.push(change.operation);
    if (change.how !== 'restore') chain.how = change.how === 'force' || chain.how === 'force' ? 'force' : 'merge';
    for (const later of [...change.moves, ...change.kept])
      chain.keeps.set(later.logical_operation_id, {
        logical_operation_id: later.logical_operation_id,
        agent: later.agent,
      });
    for (const { agent, logical_operation_id } of change.over) {
      chain.over.add(agent);
      chain.keeps.delete(logical_operation_id);
    }
  }

  get(path: string): Chain | undefined {
    return this.byPath.get(path);
  }

  values(): Chain[] {
    return [...this.byPath.values()];
  }

  private at(path: WorkspacePath): Chain {
    const known = this.byPath.get(path);
    if (known) return known;
    const chain: Chain = { path, operations: [], how: 'restore', keeps: new Map(), over: new Set() };
    this.byPath.set(path, chain);
    return chain;
  }
}
