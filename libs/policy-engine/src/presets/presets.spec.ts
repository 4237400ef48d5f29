import { describe, expect, it } from '@jest/globals';
import type { ActionClass } from '@retrace/contracts';
import { evaluate } from '../evaluate.js';
import { parsePolicy } from '../parse-policy.js';
import { isPreset, type PresetName, PRESETS } from './presets.js';

const may = (preset: PresetName, agent: string, actionClass: ActionClass, path: string): boolean =>
  evaluate(parsePolicy(PRESETS[preset]), { agent, class: actionClass, path }).allowed;

/** Which of read, create, overwrite, delete an agent may. */
const rights = (preset: PresetName, path: string, agent = 'writer'): string =>
  (['read', 'create', 'overwrite', 'delete'] as const)
    .map((asked) => (may(preset, agent, asked, path) ? asked[0] : '-'))
    .join('');

describe('the policies that ship', () => {
  it.each(Object.entries(PRESETS))('%s is a policy and bears its name', (preset, yaml) => {
    expect(parsePolicy(yaml).name).toBe(preset);
  });

  it.each<[PresetName, string, string]>([
    ['strict', 'src/a.ts', 'r---'],
    ['strict', 'scratch', 'rcod'],
    ['strict', 'scratch/a', 'rcod'],
    ['strict', 'sessions/s/outputs/a', 'rcod'],
    ['strict', 'src/scratch/a', 'r---'],
    ['team', 'src/a.ts', 'rco-'],
    ['team', 'generated/old.json', 'rco-'],
    ['team', 'src/generated/old.json', 'rco-'],
    ['team', 'scratch/a', 'rcod'],
    ['team', 'tmp/a/b', 'rcod'],
    ['team', 'sessions/s/workspace/a', 'rcod'],
    ['team', 'sessions/s/outputs/a', 'rco-'],
    ['team', 'package-lock.json', 'r---'],
    ['team', 'apps/web/yarn.lock', 'r---'],
    ['team', '.env', '----'],
    ['strict', '.env', '----'],
    ['team', 'apps/web/.env.production', '----'],
    ['team', '.env.example', 'rco-'],
    ['team', '.github/workflows/ci.yml', 'r---'],
    ['team', '.gitlab-ci.yml', 'r---'],
    ['team', '.git/hooks/pre-commit', 'r---'],
    ['team', '.retrace/staging', '----'],
    ['scratch', 'src/a.ts', 'rcod'],
    ['scratch', '.git/config', 'r---'],
    ['scratch', '.RETRACE/x', '----'],
  ])('%s on %s gives an agent %s', (preset, path, expected) => {
    expect(rights(preset, path)).toBe(expected);
  });

  it.each(['strict', 'team'] as const)('%s lets operators do everything outside the protected domain', (preset) => {
    expect(rights(preset, 'generated/old.json', '_op-me')).toBe('rcod');
    expect(rights(preset, '.github/workflows/ci.yml', '_op-me')).toBe('rcod');
    expect(rights(preset, '.git/config', '_op-me')).toBe('r---');
  });

  it('knows its names', () => {
    expect(['team', 'toString'].map(isPreset)).toEqual([true, false]);
  });
});
