import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// Amazon's client adds a global; what is imported here is part of the state before the tests.
import '../../server/storage/s3-store.ts';
import { parseCheck, runCheck } from '../../server/admin/check-command.ts';
import { describeCommands, UsageError } from '../../server/admin/commands.ts';
import { listSettings } from '../../server/config/index.ts';

const SECRET = 'kEep-tHis-sEcret';
/** Settings whose value is shown on purpose. */
const SHOWN = ['DATA_DIR', 'HOST', 'PUBLIC_URL', 'AI_MODEL'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imagewright-check-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (env: NodeJS.ProcessEnv, options = {}) =>
  runCheck({ DATA_DIR: join(folder, 'data'), PORT: '9', ...env }, { json: false, limitMs: 2000, ...options });

describe('the command', () => {
  it('is in the help, and takes its options alone', () => {
    expect(describeCommands()).toMatch(/check \[--mail a@b\.c\] \[--model\] \[--json\] {3,}tries/);
    expect(parseCheck(['check'])).toEqual({ mailTo: undefined, asksModel: false, json: false });
    expect(parseCheck('check --mail me@example.com --model --json'.split(' '))).toEqual({
      ...{ mailTo: 'me@example.com', asksModel: true, json: true },
    });
    expect(parseCheck(['credits', 'audit'])).toBeNull();
    for (const args of ['check --mail', 'check --nothing', 'check now', 'check --json yes'])
      expect(() => parseCheck(args.split(' ')), args).toThrow(UsageError);
  });

  it('takes the options that the documents show', async () => {
    const page = await readFile('docs/operating.md', 'utf8');
    const lines = [...page.matchAll(/admin -- (check[^#\n]*)/g)].map(([, words = '']) => words.trim().split(/\s+/));
    expect(lines.length).toBeGreaterThan(3);
    for (const words of lines) expect(parseCheck(words)).not.toBeNull();
  });

  it('prints lines for people, or JSON', async () => {
    const forPeople = await run({ SMTP_URL: 'smtp://mail.invalid' });
    expect(forPeople.exitCode).toBe(1);
    expect(forPeople.output).toContain('FAULT    mail      smtp://mail.invalid (SMTP_URL): connects and logs in\n');
    expect(forPeople.output).toContain('-> correct the host in SMTP_URL');
    expect(forPeople.output).toMatch(/\n1 fault, 0 warnings$/);
    const { output, exitCode } = await run({ SMTP_PORT: '1', SMPT_URL: 'smtp://mail.invalid' }, { json: true });
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([
        {
          ...{ part: 'settings', state: 'warning', code: 'unknown_setting', tried: 'SMPT_URL' },
          ...{ found: 'no setting has this name', remedy: 'did you mean SMTP_URL?' },
        },
      ]),
    });
  });

  it('repeats no secret: neither of a wrong setting, nor of a valid one', async () => {
    const names = listSettings()
      .map(({ name }) => name)
      .filter((name) => !SHOWN.includes(name));
    const wrong = await run(Object.fromEntries(names.map((name) => [name, `${SECRET}\u0001`])));
    expect(wrong.output).not.toContain(SECRET);
    expect(wrong.output).toContain('FAULT    settings  PORT');
    const valid = {
      MONGODB_URI: `mongodb://user:${SECRET}@127.0.0.1:9/db?appName=${SECRET}`,
      SMTP_URL: `smtp://user:${SECRET}@127.0.0.1:9`,
      AI_PROVIDER: 'openai-compatible',
      AI_BASE_URL: `http://user:${SECRET}@127.0.0.1:9/${SECRET}?key=${SECRET}`,
      AI_MODEL: 'any',
      AI_API_KEY: SECRET,
      OPENAI_API_KEY: SECRET,
      API_KEY_PEPPER: `${SECRET}${SECRET}`,
      FILES_URL: `s3://pictures/site?endpoint=http://127.0.0.1:9`,
      AWS_ACCESS_KEY_ID: SECRET,
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_SESSION_TOKEN: SECRET,
      MAIL_FROM: `${SECRET}@example.com`,
      METRICS_TOKEN: SECRET,
    };
    for (const options of [{}, { json: true }, { asksModel: true, mailTo: 'me@example.com' }]) {
      const { output, exitCode } = await run(valid, options);
      expect(output).not.toContain(SECRET);
      expect(exitCode).toBe(1);
    }
  });
});

describe('the program', () => {
  it('says what is wrong in place of a stack, and ends with 1', async () => {
    const env = { ...process.env, DATA_DIR: join(folder, 'other'), PORT: 'nonsense', MONGODB_URI: 'nonsense' };
    const program = promisify(execFile)(process.execPath, ['dist/server/admin/main.js', 'check'], { env });
    const { code, stdout, stderr } = await program.then(
      () => ({ code: 0, stdout: '', stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain('FAULT    settings  PORT\n');
    expect(stdout).toContain('-        database  nothing\n');
  });
});
