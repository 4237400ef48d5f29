export { cluster, standalone } from './launchers.js';
export { setStage, type Stage } from './stage.js';
export { type Launcher, type Narrator, Story } from './story.js';
export { treeDifference, treeHash } from './tree-hash.js';
