import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listSettings, loadConfig } from '../../server/config/index.ts';
import { readServerSources } from './source-files.ts';

/** Files that may use `process.env`, with the reason. */
const ENVIRONMENT_READERS: Record<string, string> = {
  'processing/worker/main.ts': 'reads what the pool set for it',
  'processing/worker-pool.ts': 'hands a few variables of the system on to its workers',
  'storage/s3-client.ts': "silences the advice of Amazon's client on releases of Node, which it reads there alone",
};

describe('environment variables', () => {
  const names = listSettings().map(({ name }) => name);

  it('are exactly those of docs/configuration.md', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    expect([...page.matchAll(/^\| `([A-Z_0-9]+)` \|/gm)].map(([, name]) => name)).toEqual(names);
  });

  it('are in .env.example with valid defaults', () => {
    const lines = readFileSync('.env.example', 'utf8').matchAll(/^#([A-Z_0-9]+)=(.*)$/gm);
    const example = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
    expect(Object.keys(example)).toEqual(names);
    expect(loadConfig(example)).toEqual(loadConfig({}));
  });

  it('are read by the config module alone; programs pass the environment to it', () => {
    const readers = readServerSources().flatMap(({ path, text }) =>
      text
        .replaceAll(
          /\b(loadConfig|openAccounts)\(process\.env\)|warnOfSettings\(config, process\.env|runCheck\(process\.env,/g,
          '',
        )
        .includes('process.env') && !ENVIRONMENT_READERS[path]
        ? [path]
        : [],
    );
    expect(readers).toEqual([]);
  });
});
