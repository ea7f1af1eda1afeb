import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const OXLINT = resolve('node_modules/oxlint/bin/oxlint');
const CONFIG = resolve('.oxlintrc.json');

const DECLARATIONS = `
  declare const requests: { take(windows: { key: string; limit: number }[]): Promise<void> };
  declare const outbox: { queue(kind: string, to: string): Promise<void> };
  declare const saved: Promise<boolean>;
  declare function every(work: () => void, ms: number): void;
  declare function listen(listener: { done: () => void }): void;
`;

/** Bodies of an async function, and the rule that each breaks. */
const REFUSED = {
  'limit-not-awaited': [
    'requests.take([{ key: "192.0.2.0/24", limit: 10 }]); await outbox.queue("sign-up", "a@example.org");',
    'no-floating-promises',
  ],
  'then-without-catch': ['outbox.queue("sign-up", "a@example.org").then(() => 1);', 'no-floating-promises'],
  'async-in-a-timer': ['every(async () => { await outbox.queue("x", "y"); }, 5); await saved;', 'no-misused-promises'],
  'async-property': ['listen({ done: async () => { await saved; } }); await saved;', 'no-misused-promises'],
  'promise-as-condition': ['if (saved) await outbox.queue("x", "y");', 'no-misused-promises'],
} as const;

const ACCEPTED = {
  awaited: 'await requests.take([{ key: "192.0.2.0/24", limit: 10 }]);',
  caught: 'outbox.queue("x", "y").catch(() => {}); await saved;',
  'handed-over': 'void outbox.queue("x", "y"); await saved;',
} as const;

let directory: string;
let broken: Record<string, string[]>;

/** Lints all bodies in one run, since each run starts a process that reads types. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-lint-'));
  await mkdir(join(directory, 'server'));
  const compilerOptions = { strict: true, target: 'es2023', lib: ['es2023'], types: [], noEmit: true };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['server'] }));
  const bodies = [
    ...Object.entries(ACCEPTED),
    ...Object.entries(REFUSED).map(([name, [body]]) => [name, body] as const),
  ];
  for (const [name, body] of bodies) {
    const source = `${DECLARATIONS}\nexport async function work(): Promise<void> {\n  ${body}\n}\n`;
    await writeFile(join(directory, 'server', `${name}.ts`), source);
  }
  broken = await lint();
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Returns the broken rules of each file. */
function lint(): Promise<Record<string, string[]>> {
  const args = [OXLINT, '--type-aware', '--config', CONFIG, '--format', 'json', 'server'];
  return new Promise((done, fail) => {
    execFile(process.execPath, args, { cwd: directory }, (_error, stdout, stderr) => {
      const rules: Record<string, string[]> = {};
      try {
        const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
        for (const { code, filename } of diagnostics) {
          const name = filename.replace(/^.*\/|\.ts$/g, '');
          rules[name] = [...(rules[name] ?? []), code.replace(/^typescript\((.*)\)$/, '$1')];
        }
        done(rules);
      } catch {
        fail(new Error(`oxlint printed no report: ${stdout}${stderr}`));
      }
    });
  });
}

describe('the lint rules about promises', () => {
  it.each(Object.entries(REFUSED))('refuse %s', (name, [, rule]) => {
    expect(broken[name]).toEqual([rule]);
  });

  it.each(Object.keys(ACCEPTED))('accept a promise that is %s', (name) => {
    expect(broken[name]).toBeUndefined();
  });
});
