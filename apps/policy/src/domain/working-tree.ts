import { type Fact, type PathState, type Pin } from '@retrace/contracts';
import type { Tree } from './decision-input.js';

/** `leaf`: a file or a link; `other`: a device and the like, which is never touched. */
export type Kind = 'absent' | 'leaf' | 'directory' | 'other';

/** What stands at a path, as far as the operations before it tell, else as it was found. */
export interface Standing {
  readonly kind: Kind;
  /** Of a directory, where it is known. */
  readonly mode: number | undefined;
  /** Of a link, where it is known. */
  readonly target: string | undefined;
  /** What was found there; `undefined` where an earlier operation of the intent left it. */
  readonly found: PathState | undefined;
  /** It cannot be looked at. */
  readonly problem: Fact['problem'];
  /** What a decision on it rests on: what an earlier operation leaves is certain, so it needs no pin. */
  readonly pin: Pin;
}

interface Node {
  readonly children: Map<string, Node>;
  standing: Standing | undefined;
  /** Everything below is known. */
  complete: boolean;
}

const ANY: Pin = { kind: 'any' };
const left = (kind: Kind, known: Partial<Pick<Standing, 'mode' | 'target'>> = {}): Standing => ({
  kind,
  mode: known.mode,
  target: known.target,
  found: undefined,
  problem: null,
  pin: ANY,
});
const GONE = left('absent');
const newNode = (): Node => ({ children: new Map(), standing: undefined, complete: false });

/**
 * The workspace as one intent meets it: what was found, changed by its operations in their order. So a later operation
 * reaches what an earlier one leaves, and nothing that an earlier one took away.
 */
export class WorkingTree {
  private readonly root = newNode();

  constructor(trees: Iterable<Tree>) {
    for (const tree of trees) this.load(tree);
  }

  /** `undefined`: nobody has looked. */
  at(path: string): Standing | undefined {
    const { node, complete } = this.find(path);
    return node?.standing ?? (complete ? GONE : undefined);
  }

  /** Whether everything below a path is known. */
  knowsBelow(path: string): boolean {
    const { node, complete } = this.find(path);
    return complete || node?.complete === true;
  }

  /** What stands below a path, each folder before what it holds. */
  below(path: string): [path: string, standing: Standing][] {
    const found: [string, Standing][] = [];
    const { node } = this.find(path);
    if (node) collect(node, path, found);
    return found;
  }

  /** An operation leaves nothing there. */
  remove(path: string): void {
    this.replace(path, GONE);
  }

  /** An operation leaves a file or link there. */
  putLeaf(path: string, target?: string): void {
    this.replace(path, left('leaf', { target }));
  }

  /** An operation makes a folder, or finds one and leaves it as it is. */
  putFolder(path: string, mode?: number): void {
    const before = this.at(path);
    if (before?.kind === 'directory') return;
    const node = this.make(path);
    node.standing = left('directory', { mode });
    // Where no folder stood, nothing lies below.
    node.complete = before !== undefined;
  }

  /** An operation changes what stands there, which stays. */
  change(path: string, mode: number): void {
    const before = this.at(path);
    if (before) this.make(path).standing = left(before.kind, { mode, target: before.target });
  }

  private load({ facts, deep }: Tree): void {
    for (const [index, fact] of facts.entries()) {
      const node = this.make(fact.path);
      node.standing ??= standingOf(fact);
      if (index === 0) node.complete ||= deep || fact.state.kind !== 'directory';
    }
  }

  private replace(path: string, standing: Standing): void {
    const node = this.make(path);
    node.children.clear();
    node.standing = standing;
    node.complete = true;
  }

  /** `complete`: a node above says that everything below it is known. */
  private find(path: string): { readonly node: Node | undefined; readonly complete: boolean } {
    let node = this.root;
    let complete = false;
    for (const name of path.split('/')) {
      complete ||= node.complete;
      const next = node.children.get(name);
      if (!next) return { node: undefined, complete };
      node = next;
    }
    return { node, complete };
  }

  private make(path: string): Node {
    let node = this.root;
    for (const name of path.split('/')) {
      const next = node.children.get(name) ?? newNode();
      node.children.set(name, next);
      node = next;
    }
    return node;
  }
}

function collect(node: Node, path: string, found: [string, Standing][]): void {
  for (const [name, child] of node.children) {
    const here = `${path}/${name}`;
    const { standing } = child;
    if (standing && (standing.kind !== 'absent' || standing.problem)) found.push([here, standing]);
    collect(child, here, found);
  }
}

const standingOf = ({ state, recorded, problem }: Fact): Standing => ({
  kind: kindOf(state),
  mode: state.kind === 'directory' ? state.mode : undefined,
  target: state.kind === 'link' ? state.target : undefined,
  found: state,
  problem,
  pin:
    state.kind === 'absent'
      ? { kind: 'absent', assumed: false }
      : { kind: 'state', state, sequence: recorded?.sequence ?? null },
});

function kindOf({ kind }: PathState): Kind {
  switch (kind) {
    case 'file':
    case 'link':
      return 'leaf';
    case 'absent':
    case 'directory':
    case 'other':
      return kind;
  }
}
