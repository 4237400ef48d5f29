import { SCRATCH } from './scratch.preset.js';
import { STRICT } from './strict.preset.js';
import { TEAM } from './team.preset.js';

/** The policies that ship with Retrace, by name. */
export const PRESETS = { strict: STRICT, team: TEAM, scratch: SCRATCH } as const;
export type PresetName = keyof typeof PRESETS;
export const DEFAULT_PRESET: PresetName = 'team';

export const isPreset = (name: string): name is PresetName => Object.hasOwn(PRESETS, name);
