import { canonicalPath, type PathState } from '@retrace/contracts';
import { IntentDeniedError, OperationFailedError } from '../errors.js';
import type { Applied, IntentEnd } from '../intents/settled.js';
import { KnownStates } from './known-states.js';
import { TouchedPaths } from './touched-paths.js';

/** What the caller last saw at a path; `any`: whatever stands there. */
export type Expected = PathState | 'any';

/** One path that a change is about to reach. */
export interface Touch {
  readonly path: string;
  /** The other end of a move or copy. */
  readonly to?: string | undefined;
  /** What the caller said; without it the memory speaks. */
  readonly expected?: Expected | undefined;
  /**
   * How the memory is used: `follows` a link to what it names, acts on the path `itself`, or is `nothing`: the change
   * refuses by itself what it would overwrite, or takes nothing away.
   */
  readonly uses: 'follows' | 'itself' | 'nothing';
}

/** A change from the call until it is known how it ended. */
export interface Change {
  /** In the order of the touches. */
  readonly expected: readonly (PathState | undefined)[];
  /** It ended: its effects are known, or there were none. */
  readonly ended: (end: IntentEnd) => void;
  /** It was not sent: nothing happened. */
  readonly notSent: () => void;
}

/** What a reading found, and where: a path with a link on the way leads elsewhere. */
export interface Found {
  readonly canonical: string;
  readonly state: PathState;
}

export interface LookUnderWay {
  readonly found: (found: Found | undefined) => void;
  readonly dropped: () => void;
}

const NO_LOOK: LookUnderWay = { found: () => undefined, dropped: () => undefined };

interface Look {
  readonly path: string;
  /** A change of the path was under way meanwhile: nobody knows which state was read. */
  tainted: boolean;
  /** The same for any path at all: counts where the path turns out to lead elsewhere. */
  busy: boolean;
}

/**
 * What a session expects at each path: what it last read or left there. Of a path that a change of its own is reaching
 * (or the folder above, or something below) it expects nothing until that change's end is known; so calls that are not
 * awaited never refuse each other.
 */
export class SessionMemory {
  private readonly known = new KnownStates();
  private readonly touched = new TouchedPaths();
  private readonly looks = new Set<Look>();

  /** `enabled: false`: nothing is remembered, and nothing expected but what the caller says. */
  constructor(readonly enabled: boolean) {}

  /** To be called in the order of the calls, before anything of the change is sent. */
  begin(touches: readonly Touch[]): Change {
    const reached: string[] = [];
    const expected = touches.map((touch) => {
      const found = this.expectedOf(touch);
      for (const path of this.pathsOf(touch)) {
        this.touched.add(path);
        reached.push(path);
      }
      return found;
    });
    this.taint(reached);
    return this.change(expected, reached);
  }

  /** A change that may reach anything, such as a rollback. */
  beginAnywhere(): Change {
    this.touched.add('');
    for (const look of this.looks) look.tainted = true;
    return this.change([], ['']);
  }

  /** Remembers what `read` finds, unless a change was under way meanwhile. */
  async look<T>(typed: string, read: () => Promise<T>, foundIn: (result: T) => Found | undefined): Promise<T> {
    const look = this.beginLook(typed);
    try {
      const result = await read();
      look.found(foundIn(result));
      return result;
    } catch (error) {
      look.found(undefined);
      throw error;
    }
  }

  /** A reading that begins now. It ends by `found`, with `undefined` where it failed, or by `dropped`. */
  beginLook(typed: string): LookUnderWay {
    const path = spelled(typed);
    if (path === undefined || !this.enabled) return NO_LOOK;
    const look: Look = { path, tainted: this.touched.overlaps(path), busy: !this.touched.empty };
    this.looks.add(look);
    return {
      found: (found) => {
        if (this.looks.delete(look)) this.looked(look, found);
      },
      dropped: () => void this.looks.delete(look),
    };
  }

  private looked(look: Look, found: Found | undefined): void {
    if (!found) return this.known.forget(look.path);
    if (look.tainted || (found.canonical !== look.path && look.busy)) return;
    this.known.saw(look.path, found.canonical, found.state);
  }

  private expectedOf({ path: typed, expected, uses }: Touch): PathState | undefined {
    if (expected !== undefined) return expected === 'any' ? undefined : expected;
    const path = spelled(typed);
    if (path === undefined || uses === 'nothing' || !this.enabled) return undefined;
    if (this.touched.overlaps(path) || this.touched.overlaps(this.known.leadsTo(path))) return undefined;
    return this.known.expectedOf(path, uses === 'follows');
  }

  private pathsOf({ path, to }: Touch): string[] {
    const names = [path, to].flatMap((typed) => (typed === undefined ? [] : [spelled(typed)]));
    const paths = names.filter((name) => name !== undefined);
    return [...new Set([...paths, ...paths.map((name) => this.known.leadsTo(name))])];
  }

  private taint(reached: readonly string[]): void {
    if (this.looks.size === 0) return;
    const paths = touched(reached);
    for (const look of this.looks) {
      look.busy = true;
      look.tainted ||= paths.overlaps(look.path);
    }
  }

  private change(expected: readonly (PathState | undefined)[], reached: readonly string[]): Change {
    let open = true;
    const end = (learn: () => void): void => {
      if (!open) return;
      open = false;
      learn();
      for (const path of reached) this.touched.remove(path);
    };
    return {
      expected,
      ended: (how) => end(() => this.learn(how, reached)),
      notSent: () => end(() => undefined),
    };
  }

  private learn(end: IntentEnd, reached: readonly string[]): void {
    if (end instanceof IntentDeniedError) return;
    if (end instanceof OperationFailedError) return this.learnFailure(end);
    if (end.kind === 'applied') this.learnApplied(end, reached);
    if (end.kind === 'undo') this.learnRollback(end.report);
  }

  /** Where records are missing nobody knows what it left at the paths that it reached. */
  private learnApplied({ operations, operationCount, sequence }: Applied, reached: readonly string[]): void {
    if (!this.enabled) return;
    if (operations.length < operationCount) this.known.forgetAround(touched(reached));
    this.known.learn(operations, sequence);
  }

  /** What was believed there was wrong. */
  private learnFailure({ path, needsAttention }: OperationFailedError): void {
    for (const typed of [path, ...needsAttention.map((one) => one.path)]) {
      const name = typed === null ? undefined : spelled(typed);
      if (name !== undefined) this.known.forget(name);
    }
  }

  private learnRollback({ restored, failures }: { restored: readonly string[]; failures: readonly unknown[] }): void {
    if (failures.length > 0) return this.known.clear();
    for (const path of restored) this.known.forget(path);
  }
}

function touched(reached: readonly string[]): TouchedPaths {
  const paths = new TouchedPaths();
  for (const path of reached) paths.add(path);
  return paths;
}

/** The one spelling of a path by its text; `undefined` where it has none, which policy refuses. */
function spelled(typed: string): string | undefined {
  const canonical = canonicalPath(typed);
  return canonical.ok ? canonical.path : undefined;
}
