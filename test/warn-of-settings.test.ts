import { expect, it } from 'vitest';
import { loadConfig } from '../server/config/index.ts';
import { warnOfSettings } from '../server/explain-start.ts';

function warningsOf(env: NodeJS.ProcessEnv): string[] {
  const said: string[] = [];
  warnOfSettings(loadConfig(env), env, { warn: (_details: object, message?: string) => void said.push(`${message}`) });
  return said;
}

it.each([
  ['MAXFILE_MB', 'MAX_FILE_MB'],
  ['MONGO_URL', 'MONGODB_URI'],
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['SESSIONS_TTL_HOUR', 'SESSION_TTL_HOURS'],
])('a start names the setting that %s was meant to be', (given, meant) => {
  expect(warningsOf({ [given]: 'x' })).toEqual([expect.stringContaining(`${given} is not a setting`)]);
  expect(warningsOf({ [given]: 'x' })[0]).toContain(meant);
});

it('a start is silent about variables of other programs and about its own', () => {
  const others = [
    'HOME',
    'PATH',
    'HOSTNAME',
    'NODE_ENV',
    'NODE_OPTIONS',
    'LANG',
    'SHELL',
    'PWD',
    'TERM',
    'npm_config_cache',
  ];
  const env = {
    ...Object.fromEntries(others.map((name) => [name, 'x'])),
    PORT: '9000',
    MAX_FILE_MB: '20',
    NODE_VERSION: '20',
  };
  expect(warningsOf(env)).toEqual([]);
});

it.each([
  ['http://images.example', 'secure', 1],
  ['http://images.example', 'plain', 0],
  ['https://images.example', 'secure', 0],
  ['http://localhost:8080', 'secure', 0],
  ['http://127.0.0.1:8080', 'secure', 0],
])('a start with PUBLIC_URL=%s and LOGIN_COOKIE=%s gives %i warnings', (PUBLIC_URL, LOGIN_COOKIE, count) => {
  const said = warningsOf({ PUBLIC_URL, LOGIN_COOKIE });
  expect(said).toHaveLength(count);
  if (count > 0) expect(said[0]).toMatch(/PUBLIC_URL.*LOGIN_COOKIE=plain/);
});
