import { inspectNatsBinary, findOnPath, type NatsBinary } from './nats-binary.js';
import { cachedNatsServerPath, fetchNatsServer, type FetchResult } from './fetch-nats-server.js';
import { NatsServerError } from './nats-server-error.js';
import { formatNatsVersion, isSupportedNatsVersion, MINIMUM_NATS_VERSION } from './nats-version.js';

export type NatsServerSource = 'env' | 'path' | 'cache' | 'fetched';
export type FoundNatsServer = NatsBinary & { readonly source: NatsServerSource };
export type FindNatsServerOptions = {
  readonly env?: NodeJS.ProcessEnv;
  readonly fetch?: (env: NodeJS.ProcessEnv) => Promise<FetchResult>;
};

const NEEDED = formatNatsVersion(MINIMUM_NATS_VERSION);
const THREE_WAYS = [
  `Any one of these helps (version ${NEEDED} or newer):`,
  '  1. install `nats-server` with the package manager (apt on Debian 14 and newer, brew, pacman, nix, …);',
  '  2. download the official release of nats-server, and put it on PATH or name it in NATS_SERVER_BIN;',
  '  3. set NATS_URL to a server that is already running.',
].join('\n');

const isUsable = (binary: NatsBinary): boolean => isSupportedNatsVersion(binary.version);
const describe = ({ path, version }: NatsBinary): string => `${path} is version ${formatNatsVersion(version)}`;

const tooOld = (binary: NatsBinary, more = ''): NatsServerError =>
  new NatsServerError('nats_server_too_old', `nats-server is too old: ${describe(binary)}${more}\n${THREE_WAYS}`);
const missing = (why: string): NatsServerError =>
  new NatsServerError('nats_server_missing', `nats-server was not found: ${why}\n${THREE_WAYS}`);

/** A binary that was named is taken or refused, never passed over in silence. */
const fromEnv = async (path: string): Promise<FoundNatsServer> => {
  const binary = await inspectNatsBinary(path);
  if (!binary) throw missing(`NATS_SERVER_BIN=${path} is not a nats-server that starts`);
  if (!isUsable(binary)) throw tooOld(binary, ' (from NATS_SERVER_BIN)');
  return { ...binary, source: 'env' };
};

const inspectAll = async (paths: readonly string[]): Promise<NatsBinary[]> =>
  (await Promise.all(paths.map(inspectNatsBinary))).filter((binary) => binary !== null);

const explainFailure = (old: NatsBinary | undefined, fetched: FetchResult): NatsServerError => {
  const why = 'failure' in fetched ? `fetching it failed: ${fetched.failure}` : `${fetched.path} does not start`;
  return old ? tooOld(old, `; ${why}`) : missing(`none on PATH, none in the cache; ${why}`);
};

/**
 * Finds a nats-server to start: `NATS_SERVER_BIN`, else PATH, else our cache, else fetched from Debian into that cache.
 *
 * Errors: `nats_server_missing`, `nats_server_too_old` (names path and version of the one that was found).
 */
export const findNatsServer = async (options: FindNatsServerOptions = {}): Promise<FoundNatsServer> => {
  const { env = process.env, fetch = fetchNatsServer } = options;
  if (env.NATS_SERVER_BIN) return fromEnv(env.NATS_SERVER_BIN);
  const onPath = await inspectAll(await findOnPath('nats-server', env.PATH));
  const best = onPath.find(isUsable);
  if (best) return { ...best, source: 'path' };
  const cached = await inspectNatsBinary(cachedNatsServerPath(env));
  if (cached && isUsable(cached)) return { ...cached, source: 'cache' };
  const fetched = await fetch(env);
  const fresh = 'path' in fetched ? await inspectNatsBinary(fetched.path) : null;
  if (fresh && isUsable(fresh)) return { ...fresh, source: 'fetched' };
  throw explainFailure(onPath[0] ?? fresh ?? cached ?? undefined, fetched);
};
