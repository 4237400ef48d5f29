import type { WorkspaceName } from '@retrace/contracts';
import { openEnvironment } from '@retrace/event-log';
import type { RootDatabase } from 'lmdb';

/** A baseline that is on record, with all of its rows. */
export interface BaselineMark {
  readonly sequence: number;
  readonly files: number;
  readonly bytes: number;
}

/** Which workspaces have their baseline: so that a start asks the log about the others only. */
export class BaselineMarks {
  private constructor(private readonly root: RootDatabase<BaselineMark, string>) {}

  static open(folder: string, durability: 'process' | 'power'): BaselineMarks {
    return new BaselineMarks(openEnvironment(folder, 'baselines', durability) as RootDatabase<BaselineMark, string>);
  }

  get(workspace: WorkspaceName): BaselineMark | undefined {
    return this.root.get(workspace);
  }

  put(workspace: WorkspaceName, mark: BaselineMark): void {
    this.root.transactionSync(() => void this.root.put(workspace, mark));
  }

  close(): Promise<void> {
    return this.root.close();
  }
}
