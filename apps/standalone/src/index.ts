export { type RunningSystem, type StandaloneOptions, startStandalone } from './standalone.js';
export { type ClusterOptions, type RunningCluster, startCluster } from './cluster.js';
