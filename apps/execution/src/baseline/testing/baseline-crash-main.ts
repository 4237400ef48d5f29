import { WorkspaceFolder } from '../../testing/workspace-folder.js';
import { BaselineBed } from './baseline-bed.js';

const bed = new BaselineBed(new WorkspaceFolder(process.argv[2]));
await bed.take();
await bed.close();
