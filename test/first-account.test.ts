import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { announceFirstAccount } from '../server/first-account.ts';
import { useAccounts } from './accounts/accounts-fixture.ts';

const fixture = useAccounts();
let printed: string[];
beforeEach(() => {
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

it('a start prints a key once, also after an interrupted one, and never if the service has been in use', async () => {
  const { accounts, signIn } = fixture;
  const announce = () => announceFirstAccount({ accounts, signIn, url: 'http://localhost' });
  const interrupted = vi.spyOn(accounts.keys, 'create').mockRejectedValueOnce(new Error('interrupted'));
  await expect(announce()).rejects.toThrow('interrupted');
  interrupted.mockRestore();
  expect(printed).toEqual([]);

  await announce();
  const key = /X-API-Key: (\S+)'/.exec(printed.join(''))?.[1];
  expect((await accounts.keys.check(key)).outcome).toBe('valid');

  await announce();
  expect(printed).toHaveLength(1);
  const owner = await accounts.findByEmail('owner@imagewright.local');
  const [first] = await accounts.keys.list(owner?.id ?? '');
  await accounts.keys.deactivate(owner?.id ?? '', first?.id ?? '');
  await announce();
  await fixture.newAccount();
  await announce();
  expect(printed).toHaveLength(1);
});
