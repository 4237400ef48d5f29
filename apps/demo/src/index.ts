export { cluster, type Launcher, standalone } from './launchers.js';
export type { Narrator } from './scene.js';
export { setStage, type Stage } from './stage.js';
export { Story } from './story.js';
export { treeDifference, treeHash } from './tree-hash.js';
