export { GlobPattern } from './glob-pattern.js';
export { type GlobTest, pathGlob } from './path-glob.js';
