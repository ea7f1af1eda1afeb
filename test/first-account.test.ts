import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadConfig } from '../server/config/index.ts';
import { announceFirstAccount } from '../server/explain-start.ts';
import { useAccounts } from './accounts/accounts-fixture.ts';

const fixture = useAccounts();
let printed: string[];
beforeEach(() => {
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

it('a start prints the link alone where output is kept; a key once, also after an interruption; nothing if the service has been in use', async () => {
  const { accounts, signIn } = fixture;
  const announce = (printKey = true) => announceFirstAccount({ accounts, signIn, url: 'http://localhost', printKey });
  await announce(false);
  await announce(false);
  expect(printed).toHaveLength(2);
  for (const text of printed.splice(0)) {
    expect(text).toMatch(/\/dashboard\/claim#token=iwl_/);
    expect(text).toContain('npm run --silent admin -- key create --email owner@imagewright.local');
    expect(text).toContain('admin -- credits grant --email owner@imagewright.local');
    expect(text).not.toMatch(/\biw_|X-API-Key/);
  }
  const placeholder = await accounts.findByEmail('owner@imagewright.local');
  expect(placeholder?.plan).toBe('agency');
  expect(await accounts.keys.list(placeholder?.id ?? '')).toEqual([]);

  const interrupted = vi.spyOn(accounts.keys, 'create').mockRejectedValueOnce(new Error('interrupted'));
  await expect(announce()).rejects.toThrow('interrupted');
  interrupted.mockRestore();
  expect(printed).toEqual([]);

  await announce();
  const key = /X-API-Key: (\S+)'/.exec(printed.join(''))?.[1];
  expect((await accounts.keys.check(key)).outcome).toBe('valid');

  await announce();
  await announce(false);
  expect(printed).toHaveLength(1);
  const owner = await accounts.findByEmail('owner@imagewright.local');
  const [first] = await accounts.keys.list(owner?.id ?? '');
  await accounts.keys.deactivate(owner?.id ?? '', first?.id ?? '');
  await announce();
  await fixture.newAccount();
  await announce();
  expect(printed).toHaveLength(1);
});

it('the key is printed on a terminal or with PRINT_FIRST_KEY=on', () => {
  const { isTTY } = process.stdout;
  const setting = (terminal: boolean, env = {}) => {
    process.stdout.isTTY = terminal;
    return loadConfig(env).accounts.PRINT_FIRST_KEY;
  };
  try {
    expect([setting(true), setting(false)]).toEqual(['on', 'off']);
    expect(setting(false, { PRINT_FIRST_KEY: 'on' })).toBe('on');
    expect(setting(true, { PRINT_FIRST_KEY: 'off' })).toBe('off');
  } finally {
    process.stdout.isTTY = isTTY;
  }
});
