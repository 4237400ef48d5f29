import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CpuProfile, drawProfile } from './draw-profile.js';

const ENDING = '.cpuprofile';

/** For Node, so that it writes a profile of every thread into a folder when it ends. */
export function profilerArguments(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
}

/** Puts a flame graph beside each profile of a folder. Answers their paths. */
export function drawProfiles(folder: string): string[] {
  const profiles = readdirSync(folder).filter((name) => name.endsWith(ENDING));
  return profiles.map((name) => {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile;
    const target = join(folder, `${name.slice(0, -ENDING.length)}.svg`);
    writeFileSync(target, drawProfile(profile));
    return target;
  });
}
