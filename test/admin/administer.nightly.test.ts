import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { administer as administerOn } from '../../server/admin/administer.ts';
import { openAccounts } from '../../server/compose-accounts.ts';
import { loadConfig } from '../../server/config/index.ts';
import { rejection } from '../accounts/accounts-fixture.ts';
import { startPassingOwner } from './passing-owner.ts';

const WRITES = /^(insert|update|findAndModify)$/;

function freshSettings() {
  const directory = mkdtempSync(join(tmpdir(), 'administer-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { DATA_DIR: directory };
}

/** Runs a command as its program does. */
const administer = ({ args, env, ...rest }: { args: string[]; env: NodeJS.ProcessEnv; timeoutMs?: number }) =>
  administerOn({ args, config: loadConfig(env), ...rest });
const words = (line: string) => line.split(' ');

/** Reads the final state of the ledger in a process that has the database to itself. */
async function booksOf(env: { DATA_DIR: string }) {
  const { accounts, close } = await openAccounts(env);
  try {
    const all = [];
    for await (const account of accounts.list()) {
      const { transactions } = await accounts.transactions.page(account.id);
      all.push({ account, keys: await accounts.keys.list(account.id), transactions });
    }
    return { all, audit: await accounts.audit(), check: accounts.keys.check };
  } finally {
    await close();
  }
}

// A real server has no owner among our processes.
describe.skipIf(process.env.TEST_MONGODB_URI)('a command whose database belongs to a process that ends', () => {
  // The balance, the ledger's line, the hold.
  test.each([
    { nth: 1, done: false },
    { nth: 1, done: true },
    { nth: 2, done: true },
    { nth: 3, done: true },
  ])('grants credits once: %j', async (at) => {
    const env = freshSettings();
    await administer({ args: words('account create --email a@example.org'), env });
    const owner = await startPassingOwner(env.DATA_DIR, { commands: WRITES, ...at });
    const granted = await administer({ args: words('credits grant --email a@example.org --amount 7'), env });
    expect(owner.hasEnded()).toBe(true);
    expect(granted).toMatchObject({ exitCode: 0, output: { granted: 7, balance: 32 } });
    const { all, audit } = await booksOf(env);
    await owner.close();
    expect(all.map(({ transactions }) => transactions.map(({ delta }) => delta))).toEqual([[7, 25]]);
    expect(audit).toMatchObject({ ok: true });
  });

  // The account, its ledger's line, the balance and the line of the grant, the key, its place among the active ones.
  test.each([1, 2, 4, 5, 7, 8])('makes one account, with its credits and its one key: write %i', async (nth) => {
    const env = freshSettings();
    const owner = await startPassingOwner(env.DATA_DIR, { commands: WRITES, nth, done: true });
    const made = await administer({ args: words('account create --email a@example.org --credits 5'), env });
    expect(owner.hasEnded()).toBe(true);
    expect(made).toMatchObject({ exitCode: 0, output: { email: 'a@example.org', balance: 30 } });
    const { accountId, keyId, apiKey } = made.output as Record<'accountId' | 'keyId' | 'apiKey', string>;
    const { all, audit } = await booksOf(env);
    await owner.close();
    expect(apiKey).toMatch(/^iw_/);
    expect(all).toMatchObject([
      { account: { id: accountId, balance: 30 }, keys: [{ id: keyId, active: true, last4: apiKey.slice(-4) }] },
    ]);
    expect(all[0]?.transactions.map(({ delta }) => delta)).toEqual([5, 25]);
    expect(audit).toMatchObject({ ok: true });
  });

  // Each begins with an account and a key, and is done once when its answer is lost.
  test.each([
    ['account plan --email a@example.org --plan agency', { account: { plan: 'agency' } }],
    ['account role --email a@example.org --role operator', { account: { role: 'operator' } }],
    ['account suspend --email a@example.org', { account: { suspended: true } }],
    ['account link --email a@example.org', { account: { balance: 25 } }],
    ['key deactivate --id KEY', { keys: [{ active: false }] }],
  ])('%s', async (line, expected) => {
    const env = freshSettings();
    const made = await administer({ args: words('account create --email a@example.org'), env });
    const { keyId } = made.output as { keyId: string };
    const owner = await startPassingOwner(env.DATA_DIR, { commands: WRITES, nth: 1, done: true });
    expect(await administer({ args: words(line.replace('KEY', keyId)), env })).toMatchObject({ exitCode: 0 });
    expect(owner.hasEnded()).toBe(true);
    const { all, audit } = await booksOf(env);
    await owner.close();
    expect(all).toMatchObject([{ keys: [{ id: keyId }], ...expected }]);
    expect(audit).toMatchObject({ ok: true });
  });

  test('makes one key: at every write', async () => {
    for (const nth of [1, 2]) {
      const env = freshSettings();
      await administer({ args: words('account create --email a@example.org --plan agency'), env });
      const owner = await startPassingOwner(env.DATA_DIR, { commands: WRITES, nth, done: true });
      const { output } = await administer({ args: words('key create --email a@example.org --name second'), env });
      expect(owner.hasEnded()).toBe(true);
      const { keyId, apiKey } = output as Record<'keyId' | 'apiKey', string>;
      const { all } = await booksOf(env);
      await owner.close();
      expect(all[0]?.keys).toMatchObject([
        { name: 'default' },
        { id: keyId, name: 'second', active: true, last4: apiKey.slice(-4) },
      ]);
    }
  });

  test('reads what there is', async () => {
    const env = freshSettings();
    await administer({ args: words('account create --email a@example.org'), env });
    const owner = await startPassingOwner(env.DATA_DIR, { commands: /^find$/, nth: 1, done: false });
    const { output } = await administer({ args: words('account list'), env });
    await owner.close();
    expect(owner.hasEnded()).toBe(true);
    expect(output).toMatchObject([{ email: 'a@example.org', balance: 25 }]);
  });

  test('finds it again also when it ends before the command has begun', async () => {
    const env = freshSettings();
    const owner = await startPassingOwner(env.DATA_DIR, { commands: /^createIndexes$/, nth: 2, done: true });
    expect(await administer({ args: words('account list'), env })).toEqual({ exitCode: 0, output: [] });
    await owner.close();
    expect(owner.hasEnded()).toBe(true);
  });

  test('says that its outcome is unknown when it is not to look for it', async () => {
    const env = freshSettings();
    await administer({ args: words('account create --email a@example.org'), env });
    const owner = await startPassingOwner(env.DATA_DIR, { commands: WRITES, nth: 1, done: true });
    const args = words('credits grant --email a@example.org --amount 7');
    const { message } = await rejection(administer({ args, env, timeoutMs: 0 }));
    expect(message).toMatch(
      /^The database went away while the command ran, so it may or may not have been done: check/,
    );
    // The service, or whatever comes next, finishes the movement; it was made once.
    const { accounts, close } = await openAccounts(env);
    await accounts.ledger.settlePending({ minAgeMs: 0 });
    await close();
    await owner.close();
    expect((await booksOf(env)).audit).toMatchObject({ ok: true });
  });

  test('is done beside others that start at once, whoever of them has the database', async () => {
    const env = freshSettings();
    await administer({ args: words('account create --email a@example.org'), env });
    const grants = Array.from({ length: 6 }, (_, index) =>
      administer({ args: words(`credits grant --email a@example.org --amount ${index + 1}`), env }),
    );
    const outcomes = await Promise.all(grants);
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0]);
    const { all, audit } = await booksOf(env);
    expect(all[0]?.account.balance).toBe(25 + 21);
    expect(audit).toMatchObject({ ok: true });
  });

  test('is not repeated when it was refused', async () => {
    const env = freshSettings();
    await administer({ args: words('account create --email a@example.org'), env });
    const again = administer({ args: words('account create --email a@example.org'), env });
    expect((await rejection(again)).message).toBe('The email a@example.org has an account already');
  });
});
