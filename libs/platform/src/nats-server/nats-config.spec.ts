import { describe, expect, it } from '@jest/globals';
import { renderServerConfig, type ServerConfig } from './nats-config.js';

const config: ServerConfig = {
  port: -1,
  host: '127.0.0.1',
  storeDir: '/data/js',
  serverName: 'retrace',
  portsFileDir: '/data/run',
  accountsFile: 'accounts.conf',
  syncAlways: false,
};

describe('renderServerConfig', () => {
  it('renders a server on a free port with a file store and the accounts', () => {
    const text = renderServerConfig(config);
    expect(text).toContain('port: -1\n');
    expect(text).toContain('store_dir: "/data/js"');
    expect(text).toContain('max_payload: 8388608\n');
    expect(text).toContain('include "accounts.conf"');
  });

  it('lets nobody in without credentials', () => {
    expect(renderServerConfig(config)).not.toContain('no_auth_user');
  });

  it('syncs before every acknowledgement only when asked to', () => {
    expect(renderServerConfig(config)).not.toContain('sync_interval');
    expect(renderServerConfig({ ...config, syncAlways: true })).toContain('sync_interval: always');
  });

  it('quotes folders, so that no name can add a setting', () => {
    const text = renderServerConfig({ ...config, storeDir: 'C:\\a "b" }' });
    expect(text).toContain('store_dir: "C:\\\\a \\"b\\" }"');
    expect(() => renderServerConfig({ ...config, storeDir: '/a\nno_auth_user: x' })).toThrow(/control character/);
  });

  it.each([{ serverName: 'two words' }, { accountsFile: '/etc/accounts.conf' }])('refuses %j', (change) => {
    expect(() => renderServerConfig({ ...config, ...change })).toThrow(
      expect.objectContaining({ code: 'nats_config_invalid' }),
    );
  });
});
