import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of a kill: where, and in which process (any where it is left out). */
export interface Place {
  readonly name: string;
  readonly pid?: number;
  /** The first time it comes by, or a later one. */
  readonly time?: number;
}

/** Arms failpoints of processes that run, and knows who came by which (see `failpoint.ts`). */
export class FailpointFolder {
  readonly environment: NodeJS.ProcessEnv;

  constructor(private readonly folder: string) {
    for (const name of ['armed', 'hit']) mkdirSync(join(folder, name), { recursive: true });
    this.forgetPassed();
    this.environment = { RETRACE_FAILPOINTS: folder };
  }

  arm(place: Place): void {
    writeFileSync(join(this.folder, 'armed', fileOf(place)), String(place.time ?? 1));
  }

  /** Nobody dies any more. Answers how many places were left. */
  disarm(): number {
    const left = readdirSync(join(this.folder, 'armed'));
    for (const name of left) rmSync(join(this.folder, 'armed', name));
    return left.length;
  }

  hit(place: Place): boolean {
    return readdirSync(join(this.folder, 'hit')).includes(fileOf(place));
  }

  /** How many processes died so far. */
  deaths(): number {
    return readdirSync(join(this.folder, 'hit')).length;
  }

  /** How often each process came by each place. */
  passed(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    const places = new Map<string, Map<number, number>>();
    for (const line of readFileSync(join(this.folder, 'passed'), 'utf8').split('\n').filter(Boolean)) {
      const [name, pid] = line.split(' ') as [string, string];
      const times = places.get(name) ?? new Map<number, number>();
      places.set(name, times.set(Number(pid), (times.get(Number(pid)) ?? 0) + 1));
    }
    return places;
  }

  forgetPassed(): void {
    writeFileSync(join(this.folder, 'passed'), '');
  }
}

const fileOf = ({ name, pid }: Place): string => (pid === undefined ? name : `${name}@${pid}`);
