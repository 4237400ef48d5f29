export {
  evaluate,
  judge,
  DEFAULT_DENY,
  type Evaluation,
  type Judgement,
  type Question,
  type TriedRule,
} from './evaluate.js';
export { guard, type GuardRefusal } from './guards.js';
export { MAX_POLICY_BYTES, parsePolicy } from './parse-policy.js';
export { type Policy, type Rule } from './policy.js';
export { DEFAULT_PRESET, isPreset, type PresetName, PRESETS } from './presets/presets.js';
export { redactSecrets, type Redactor } from './redact.js';
