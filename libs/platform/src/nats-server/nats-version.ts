export type NatsVersion = readonly [major: number, minor: number, patch: number];

/** The first version with everything we use: several filter subjects, per-message TTL, atomic batches. */
export const MINIMUM_NATS_VERSION: NatsVersion = [2, 12, 0];

/** Reads the output of `nats-server --version` (`nats-server: v2.15.1`); null when there is no version in it. */
export const parseNatsVersion = (output: string): NatsVersion | null => {
  const match = /\bv?(\d+)\.(\d+)\.(\d+)/.exec(output);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : null;
};

/** Orders two versions as `Array.sort` wants it; what follows the patch number (`-RC.1`, `+build`) does not count. */
export const compareNatsVersions = (a: NatsVersion, b: NatsVersion): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

export const isSupportedNatsVersion = (version: NatsVersion): boolean =>
  compareNatsVersions(version, MINIMUM_NATS_VERSION) >= 0;

export const formatNatsVersion = (version: NatsVersion): string => version.join('.');
