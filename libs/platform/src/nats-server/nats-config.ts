import { isAbsolute } from 'node:path';
import { NatsServerError } from './nats-server-error.js';

const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

export type ServerConfig = {
  /** -1 lets the system choose a free one. */
  readonly port: number;
  readonly host: string;
  /** Folder of the streams. */
  readonly storeDir: string;
  /** One word; shown in logs and in JetStream's answers. */
  readonly serverName: string;
  /** Where the server writes which port it got. */
  readonly portsFileDir: string;
  /** Relative to the folder of the configuration: the server joins the two, even when this one is absolute. */
  readonly accountsFile: string;
  /** Bytes; 8 MiB when left out, above which the server itself warns. */
  readonly maxPayload?: number;
  /** Sync before every acknowledgement (survives power loss; a third of the speed), not every two minutes. */
  readonly syncAlways: boolean;
};

const invalid = (message: string): NatsServerError => new NatsServerError('nats_config_invalid', message);

const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text);

/** A double-quoted string of the server's configuration language. */
const quote = (text: string): string => {
  if (hasControlCharacter(text)) throw invalid(`A control character in ${JSON.stringify(text)}: choose another name.`);
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
};

const relativeFile = (path: string): string => {
  if (isAbsolute(path)) throw invalid(`accountsFile ${path} is absolute: give it relative to the configuration file.`);
  return path;
};

const serverName = (name: string): string => {
  if (!/^[\w.-]+$/.test(name))
    throw invalid(`Server name ${JSON.stringify(name)}: letters, digits, ".", "-", "_" only.`);
  return name;
};

/**
 * Renders nats.conf. There is no `no_auth_user` on purpose: whoever has no credentials has no identity, and identity is
 * what subjects are built on. Errors: `nats_config_invalid`.
 */
export const renderServerConfig = (
  config: ServerConfig,
): string => `# Written by Retrace at every start: changes here are lost.
server_name: ${quote(serverName(config.serverName))}
host: ${quote(config.host)}
port: ${Math.trunc(config.port)}
ports_file_dir: ${quote(config.portsFileDir)}
max_payload: ${Math.trunc(config.maxPayload ?? MAX_PAYLOAD_BYTES)}

jetstream {
  store_dir: ${quote(config.storeDir)}
${config.syncAlways ? '  sync_interval: always\n' : ''}}

include ${quote(relativeFile(config.accountsFile))}
`;
