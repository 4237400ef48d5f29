export { type Decider, fold } from './decider.js';
