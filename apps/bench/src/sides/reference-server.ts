import { EventEmitter } from 'node:events';
import { mkdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const PACKAGE = '@modelcontextprotocol/server-filesystem/package.json';
const ENTRY = join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), 'dist/index.js');

/** The reference MCP server for files, over stdio. It keeps no history. */
export class ReferenceServer {
  private readonly client = new Client({ name: 'retrace-bench', version: '0' });
  private readonly folder: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.folder = realpathSync(folder);
  }

  async start(): Promise<void> {
    // Its client has a listener for each call that waits for the pipe; Node would warn of ten.
    EventEmitter.defaultMaxListeners = 100;
    const args = [ENTRY, this.folder];
    await this.client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  }

  async write(path: string, content: string): Promise<void> {
    const call = { name: 'write_file', arguments: { path: join(this.folder, path), content } };
    const { isError, content: said } = await this.client.callTool(call);
    if (isError) throw new Error(`write_file ${path}: ${JSON.stringify(said)}`);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
