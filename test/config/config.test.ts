import { describe, expect, it } from 'vitest';
import { ConfigError, listSettings, loadConfig } from '../../server/config/index.ts';

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

describe('loadConfig', () => {
  it('boots with no variable set', () => {
    const config = loadConfig({});
    expect(config.http).toMatchObject({ PORT: 8080, HOST: '127.0.0.1', TRUST_PROXY: 0 });
    expect(config.http.PUBLIC_URL).toBeUndefined();
    expect(config.storage.DATA_DIR).toBe('./data');
    expect(config.db.MONGODB_URI).toBeUndefined();
    expect(config.sessions).toMatchObject({ SESSION_TTL_HOURS: 24, URL_IMPORT: 'off' });
    expect(config.jobs).toMatchObject({ LEASE_SECONDS: 10, RESUME_MINUTES: 10 });
    expect(config.exports).toMatchObject({ VARIANT_CACHE_HOURS: 48 });
    expect(config.observability.LOG_LEVEL).toBe('info');
  });

  it('reads each module its own variables and ignores unknown ones', () => {
    const config = loadConfig({
      PORT: '9090',
      TRUST_PROXY: '2',
      LOG_LEVEL: 'debug',
      MONGODB_URI: 'mongodb://db/imagewright',
      HOME: '/root',
    });
    expect(config.http.PORT).toBe(9090);
    expect(config.http.TRUST_PROXY).toBe(2);
    expect(config.observability.LOG_LEVEL).toBe('debug');
    expect(config.db.MONGODB_URI).toBe('mongodb://db/imagewright');
    expect(JSON.stringify(config)).not.toContain('/root');
  });

  it('counts an empty or blank variable as not set', () => {
    const config = loadConfig({ PORT: '', HOST: '  ', PUBLIC_URL: '' });
    expect(config.http).toMatchObject({ PORT: 8080, HOST: '127.0.0.1' });
  });

  it('accepts a hop count of proxies and refuses a bare yes', () => {
    expect(loadConfig({ TRUST_PROXY: 'off' }).http.TRUST_PROXY).toBe(0);
    expect(faultsOf({ TRUST_PROXY: 'yes' })[0]).toContain('TRUST_PROXY: expected off, or a number');
  });

  it('takes of a public URL only what paths can be put behind', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://example.com/images//' }).http.PUBLIC_URL).toBe(
      'https://example.com/images',
    );
    for (const url of [
      'https://x.example/?a',
      'https://x.example/#a',
      'https://x.example/?',
      'https://x.example/a?b#c',
    ])
      expect(faultsOf({ PUBLIC_URL: url })).toEqual([
        `PUBLIC_URL: expected an http or https URL without user, password, query or fragment, but received "${url}"`,
      ]);
    const [fault] = faultsOf({ PUBLIC_URL: 'https://me:secret@x.example/' });
    expect(fault).toContain('without user, password, query or fragment, but received "https://***@x.example/"');
    for (const url of ['x', 'javascript:alert(1)', 'http://', '//x.example'])
      expect(faultsOf({ PUBLIC_URL: url })[0]).toMatch(/^PUBLIC_URL: expected an http or https URL.*, but received /);
  });

  it('lists all faults of all modules at once: variable, what was expected, what came', () => {
    const faults = faultsOf({
      PORT: 'eighty',
      MAX_FILE_MB: '0',
      PUBLIC_URL: 'ftp://example.com',
      URL_IMPORT: 'yes',
      LEASE_SECONDS: '1.5',
      LOG_LEVEL: 'loud',
    });
    expect(faults).toEqual([
      'PORT: expected a whole number from 0 to 65535, but received "eighty"',
      'PUBLIC_URL: expected an http or https URL, but received "ftp://example.com"',
      'MAX_FILE_MB: expected a whole number from 1 to 10000, but received "0"',
      'URL_IMPORT: expected one of on, off, but received "yes"',
      'LEASE_SECONDS: expected a whole number from 3 to 600, but received "1.5"',
      'LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, but received "loud"',
    ]);
  });

  it('says where in a structured value the fault lies', () => {
    expect(faultsOf({ PLANS: '{"free":{"keys":"one"}}' })[0]).toMatch(/^PLANS: at free\.keys: .*expected number/);
    for (const text of ['{"free":', '[]', 'null', '5', '"free"'])
      expect(faultsOf({ PLANS: text })).toEqual([
        `PLANS: expected a JSON object of plans, but received ${JSON.stringify(text)}`,
      ]);
  });

  it('takes no mail server without a name', () => {
    for (const url of ['smtp://', 'smtp:', 'smtp://:25', 'smtps://user:password@'])
      expect(faultsOf({ SMTP_URL: url })[0]).toMatch(/^SMTP_URL: expected a URL such as smtp:.* other characters$/);
    expect(loadConfig({ SMTP_URL: 'smtp://localhost:25' }).mail.SMTP_URL).toBe('smtp://localhost:25');
  });

  it('never repeats a secret, not even a faulty one', () => {
    const [fault] = faultsOf({ MONGODB_URI: 'http://user:hunter2@db' });
    expect(fault).toContain('MONGODB_URI: expected a connection string');
    expect(fault).not.toContain('hunter2');
  });
});

describe('listSettings', () => {
  it('describes every variable, names none twice and gives each a default', () => {
    const settings = listSettings();
    expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length);
    for (const setting of settings) {
      expect(setting.name).toMatch(/^[A-Z][A-Z0-9_]+$/);
      expect(setting.description.length, setting.name).toBeGreaterThan(10);
      expect(setting.default, setting.name).not.toBe('');
    }
  });
});
