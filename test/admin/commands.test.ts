import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeCommands, newNames, parseCommand, runCommand, UsageError } from '../../server/admin/commands.ts';
import { parseDataCommand } from '../../server/admin/data-commands.ts';
import { openAccounts } from '../../server/compose-accounts.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';

const fixture = useAccounts();

async function run(line: string): Promise<Record<'accountId' | 'keyId' | 'apiKey', string>> {
  const { output, exitCode } = await runCommand({ ...fixture, args: line.split(' ') });
  expect(exitCode).toBe(0);
  // The printed output, not the state in memory.
  return JSON.parse(JSON.stringify(output));
}

async function outcomeOf(apiKey: unknown): Promise<string> {
  return (await fixture.accounts.keys.check(apiKey)).outcome;
}

describe('administration', () => {
  test('account create makes an account with a key that works', async () => {
    const made = await run('account create --email A@b.c --plan agency --credits 500');
    expect(made).toEqual({
      accountId: expect.stringMatching(/^acct_/),
      email: 'a@b.c',
      plan: 'agency',
      balance: 525,
      keyId: expect.stringMatching(/^key_/),
      apiKey: expect.stringMatching(/^iw_/),
    });
    expect(await outcomeOf(made.apiKey)).toBe('valid');
    expect(await fixture.accounts.findByEmail('a@b.c')).toMatchObject({ balance: 525, granted: 525 });
  });

  test('account create has the default plan and the sign-up credits', async () => {
    expect(await run('account create --email plain@example.org')).toMatchObject({ plan: 'free', balance: 25 });
    const again = await rejection(run('account create --email PLAIN@example.org'));
    expect(again.message).toBe('The email plain@example.org has an account already');
  });

  test('account list, plan, suspend and resume', async () => {
    const { apiKey } = await run('account create --email state@example.org');
    expect(await run('account plan --email state@example.org --plan agency')).toMatchObject({ plan: 'agency' });
    expect(await run('account suspend --email state@example.org')).toMatchObject({ suspended: true });
    expect(await outcomeOf(apiKey)).toBe('suspended');
    expect(await run('account list')).toEqual(
      expect.arrayContaining([expect.objectContaining({ email: 'state@example.org', suspended: true })]),
    );
    expect(await run('account resume --email state@example.org')).toMatchObject({ suspended: false });
    expect(await outcomeOf(apiKey)).toBe('valid');
  });

  test('account role, link and logout', async () => {
    const { accountId } = await run('account create --email person@example.org');
    expect(await run('account list')).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: accountId, role: 'user', state: 'unclaimed' })]),
    );
    expect(await run('account role --email person@example.org --role operator')).toMatchObject({ role: 'operator' });
    // The database removes by the real clock what has expired.
    fixture.clock.now = new Date();
    const made = (await run('account link --email person@example.org')) as unknown as { link: string };
    expect(made.link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/dashboard\/claim#token=iwl_\w{43}$/);
    expect(await fixture.signIn.readLink(made.link.split('=')[1] ?? '')).toMatchObject({ email: 'person@example.org' });
    const visitor = { address: '192.0.2.1', userAgent: '' };
    const { token } = await fixture.signIn.browserSessions.open(accountId, visitor);
    expect(await run('account logout --email person@example.org')).toEqual({ accountId, revoked: 1 });
    expect(await fixture.signIn.browserSessions.check(token)).toEqual({ outcome: 'unknown' });
    const wrong = runCommand({ ...fixture, args: 'account role --email person@example.org --role king'.split(' ') });
    expect(await rejection(wrong)).toBeInstanceOf(UsageError);
  });

  test.each([
    [{ PORT: '0' }, /^\/dashboard\/claim#token=iwl_\w{43}$/, /PORT is 0.*"listening".*PUBLIC_URL/],
    [{ PORT: '0', PUBLIC_URL: 'https://images.example/' }, /^https:\/\/images\.example\/dashboard\/claim#token=/, null],
    [{ PORT: '8090', HOST: '0.0.0.0' }, /^http:\/\/[^/]+:8090\/dashboard\/claim#token=/, null],
  ])('account link has no address but one that leads to the service: %j', async (settings, address, hint) => {
    const directory = mkdtempSync(join(tmpdir(), 'admin-test-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const { accounts, signIn, close } = await openAccounts({ ...settings, DATA_DIR: directory });
    onTestFinished(close);
    await accounts.create({ email: 'a@example.org' });
    const { output } = await runCommand({ accounts, signIn, args: 'account link --email a@example.org'.split(' ') });
    expect(output).toEqual({
      accountId: expect.stringMatching(/^acct_/),
      link: expect.stringMatching(address),
      ...(hint && { hint: expect.stringMatching(hint) }),
    });
    const { link } = output as { link: string };
    expect(await signIn.readLink(link.split('=')[1] ?? '')).toMatchObject({ email: 'a@example.org' });
  });

  test('key create, list, deactivate and activate', async () => {
    await run('account create --email keys@example.org --plan agency');
    // Keys are listed by age, and the first one was made at this very moment.
    fixture.clock.now = new Date(fixture.clock.now.getTime() + 1000);
    const { keyId, apiKey, ...rest } = await run('key create --email keys@example.org --name ci');
    expect(rest).toEqual({});
    expect(await run('key list --email keys@example.org')).toMatchObject([
      { name: 'default', active: true },
      { id: keyId, name: 'ci', active: true },
    ]);
    expect(JSON.stringify(await run('key list --email keys@example.org'))).not.toContain(apiKey);
    expect(await run(`key deactivate --id ${keyId}`)).toMatchObject({ id: keyId, active: false });
    expect(await outcomeOf(apiKey)).toBe('inactive');
    expect(await run(`key activate --id ${keyId}`)).toMatchObject({ active: true });
    expect(await outcomeOf(apiKey)).toBe('valid');
  });

  test('credits grant adds credits with a note', async () => {
    const { accountId } = await run('account create --email grant@example.org');
    const args = ['credits', 'grant', '--email', 'grant@example.org', '--amount', '7', '--note', 'for the broken day'];
    expect(await runCommand({ ...fixture, args })).toEqual({
      output: { accountId, granted: 7, balance: 32 },
      exitCode: 0,
    });
    expect((await fixture.accounts.transactions.page(accountId)).transactions[0]).toMatchObject({
      kind: 'grant',
      delta: 7,
      note: 'for the broken day',
    });
  });

  test('credits audit ends with 1 when the books are broken', async () => {
    const { accountId } = await run('account create --email audit@example.org');
    expect(await run('credits audit')).toMatchObject({ ok: true, broken: [] });
    const account = fixture.connection.model('Account');
    await account.updateOne({ _id: accountId }, { $inc: { balance: 1 } });
    const { output, exitCode } = await runCommand({ ...fixture, args: ['credits', 'audit'] });
    expect([exitCode, output]).toMatchObject([1, { ok: false, broken: [{ accountId, rule: 'balance_differs' }] }]);
    await account.updateOne({ _id: accountId }, { $inc: { balance: -1 } });
  });

  test('an account or key that does not exist is a failure in one line', async () => {
    expect((await rejection(run('key list --email none@example.org'))).message).toBe(
      'No account with the email none@example.org',
    );
    expect((await rejection(run('key deactivate --id key_none'))).message).toBe('No API key key_none');
  });

  test.each([
    ['', 'expected one of the commands'],
    ['account', 'expected one of the commands'],
    ['account destroy', 'but received "account destroy"'],
    ['constructor', 'expected one of the commands'],
    ['account create', 'expected --email for account create'],
    ['account create --email', '--email'],
    ['account create --email a@b.example --colour red', '--colour'],
    ['account create --email a@b.example extra', 'extra'],
    ['key create --email a@b.example', 'expected --name for key create'],
  ])('%j is wrong usage, told in one line', (line, message) => {
    const parse = () => parseCommand(line.split(' ').filter(Boolean));
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(message);
    try {
      parse();
    } catch (error) {
      expect((error as Error).message).not.toContain('\n');
    }
  });

  test('the refusal of an unknown command names every command that exists', () => {
    const refusal = () => parseCommand(['nothing']);
    for (const name of ['backup', 'restore', 'backup hold', 'backup release', 'files accept', 'account list']) {
      expect(refusal).toThrow(new RegExp(`[ ,]${name}[,]`));
    }
  });

  test.each([
    ['backup /srv/backups', 'expected backup --to DIR [--faults stop|skip]: Unexpected argument'],
    ['restore /srv/backups', 'expected restore --from DIR: Unexpected argument'],
    ['backup hold 120', 'expected backup hold --minutes N: Unexpected argument'],
    ['backup', 'expected --to for backup'],
  ])('%j is told how it is written', (line, message) => {
    const parse = () => parseDataCommand(line.split(' '));
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(message);
  });

  test.each(['0', '-5', '1.5', 'many', '1e3', '9999999999'])('%s is no amount', async (amount) => {
    await fixture.newAccount();
    const args = ['credits', 'grant', '--email', 'a@example.org', `--amount=${amount}`];
    expect(await rejection(runCommand({ ...fixture, args }))).toBeInstanceOf(UsageError);
  });

  test('the help names every command', () => {
    for (const name of [
      'account create',
      'account resume',
      'account link',
      'account role',
      'key activate',
      'credits grant',
      'credits audit',
    ]) {
      expect(describeCommands()).toContain(`  ${name}`);
    }
  });

  test('the help puts what it says of the commands into one column', () => {
    const columns = describeCommands()
      .split('\n')
      .flatMap((line) => /^ {2}\S.*? {3,}(?=\S)/.exec(line)?.[0].length ?? []);
    expect(columns.length).toBeGreaterThan(5);
    expect(new Set(columns).size).toBe(1);
  });
});

describe('the operator log of commands', () => {
  test('each change has one line, by the command line, without keys', async () => {
    const { accountId, apiKey } = await run('account create --email logged@example.org --plan agency --credits 5');
    const { keyId, apiKey: second } = await run('key create --email logged@example.org --name ci');
    await run(`key deactivate --id ${keyId}`);
    await run('account role --email logged@example.org --role operator');
    await run('account suspend --email logged@example.org');
    await run('account link --email logged@example.org');
    await rejection(run('account plan --email logged@example.org --plan none'));
    const lines = JSON.parse(JSON.stringify(await run('audit --account logged@example.org')));
    expect(lines.map(({ action, change }: { action: string; change: object }) => [action, change])).toEqual([
      ['account.link', {}],
      ['account.suspend', {}],
      ['account.role', { from: 'user', to: 'operator' }],
      ['key.deactivate', { keyId, name: 'ci' }],
      ['key.create', { keyId, name: 'ci' }],
      ['account.create', { plan: 'agency', credits: 5, keyId: expect.stringMatching(/^key_/) }],
    ]);
    expect(lines[0]).toMatchObject({
      actor: { accountId: null, name: 'command line' },
      target: { accountId, email: 'logged@example.org' },
      address: '',
    });
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${apiKey}|${second}|token`));
  });

  test('a repeated attempt adds no second line', async () => {
    const { accountId } = await run('account create --email twice@example.org');
    const args = 'credits grant --email twice@example.org --amount 3'.split(' ');
    const names = newNames();
    for (let attempt = 0; attempt < 2; attempt += 1) await runCommand({ ...fixture, args, names });
    expect(await run(`audit list --account ${accountId} --action credits.grant`)).toHaveLength(1);
  });

  test('audit export prints it as JSON lines or CSV, and goes on after what it has printed', async () => {
    const { accountId } = await run('account create --email export@example.org');
    await run('account suspend --email export@example.org');
    const names = newNames();
    const printed: string[] = [];
    const print = (text: string) => {
      printed.push(text);
    };
    const args = ['audit', 'export', '--account', accountId];
    expect(await runCommand({ ...fixture, args, names, print })).toEqual({ output: undefined, exitCode: 0 });
    const actions = printed.filter(Boolean).map((text) => JSON.parse(text).action);
    expect(actions).toEqual(['account.suspend', 'account.create']);
    const before = printed.length;
    await runCommand({ ...fixture, args, names, print });
    expect(printed.slice(before)).toEqual([]);
    await runCommand({ ...fixture, args: [...args, '--format', 'csv'], print });
    expect(printed[before]).toMatch(/^\ufefftime,actor,/);
    expect(await rejection(runCommand({ ...fixture, args: [...args, '--format', 'xml'] }))).toBeInstanceOf(UsageError);
  });
});
