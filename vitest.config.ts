import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { builtWorkers } from './test/support/built-workers.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { PATIENCE_MS } from './test/support/patience.ts';
import { filesWithoutService } from './test/support/quick-files.ts';
import { SummaryReporter } from './test/support/summary-reporter.ts';

/** Tests about processes, their memory and their ends, or with modules that are replaced: each file in a process of its own. */
const APART = [
  'test/{crash,sse}/**/*.test.ts',
  'test/db/embedded/endings.test.ts',
  'test/analysis/{time-limit,provider-loading}.test.ts',
  'test/*.test.ts',
];
const LONG = 'test/**/*.long.test.ts';
const NIGHTLY = 'test/**/*.nightly.test.ts';
/** Tests that need programs which `npm run test:wordpress-native` fetches. */
const NATIVE = 'test/**/*.native.test.ts';
/** Tests that need the real MongoDB which `npm run test:mongodb` starts. */
const MONGODB = 'test/**/*.mongodb.test.ts';
/** Tests that need real servers of models, which `npm run test:models` finds. */
const MODELS = 'test/**/*.models.test.ts';
/** Tests in WebKit, which `npm run test:browsers` runs. */
const BROWSERS = 'test/**/*.browsers.test.ts';
const LONG_APART = ['test/{crash,db}/**/*.long.test.ts'];
const NIGHTLY_APART = ['test/{crash,db,http,sse}/**/*.nightly.test.ts', 'test/*.nightly.test.ts'];
/** Tests that measure times: nothing else runs beside them. */
const ATTACKS = 'test/attacks/*.nightly.test.ts';
/** Tests of the packages: one process packs once for all of them. */
const PACKED = 'test/packages/*.nightly.test.ts';
const LONG_PACKED = 'test/packages/*.long.test.ts';

const apart = (include: string[], exclude: string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name: 'apart', include, exclude },
});

const alone = (include: string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name: 'alone', include, maxWorkers: 1, sequence: { groupOrder: 1 } },
});

const together = (include: string[], exclude: string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name: 'together',
    include,
    exclude: [...exclude, ...APART],
    // Loading the server's dependencies takes a second of each file that begins in a new process.
    isolate: false,
    setupFiles: ['test/support/leave-no-trace.ts'],
  },
});

const oneProcess = (include: string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name: 'one process', include, isolate: false, maxWorkers: 1, sequence: { groupOrder: 2 } },
});

/** Test files by the mode of the run: `vitest run`, `vitest run --mode quick`, `--mode long`, `nightly`, `native`, `mongodb` and `models`. */
function projectsOf(mode: string): TestProjectInlineConfiguration[] {
  if (mode === 'long')
    return [apart(LONG_APART, []), together([LONG], [...LONG_APART, LONG_PACKED]), oneProcess([LONG_PACKED])];
  if (mode === 'nightly') {
    return [
      apart(NIGHTLY_APART, []),
      together([NIGHTLY], [...NIGHTLY_APART, ATTACKS, PACKED]),
      alone([ATTACKS]),
      oneProcess([PACKED]),
    ];
  }
  if (mode === 'browsers') return [alone([BROWSERS])];
  if (mode === 'native') return [alone([NATIVE])];
  if (mode === 'mongodb') return [alone([MONGODB])];
  if (mode === 'models') return [alone([MODELS])];
  const exclude = ['**/node_modules/**', LONG, NIGHTLY, NATIVE, MONGODB, MODELS, BROWSERS];
  if (mode === 'quick') return [together(filesWithoutService(), exclude)];
  return [apart(APART, exclude), together(['test/**/*.test.ts'], exclude)];
}

export default defineConfig(({ mode }) => ({
  plugins: [builtWorkers()],
  resolve: { tsconfigPaths: true },
  test: {
    pool: 'forks',
    environment: './test/support/node-environment.ts',
    // More than the two cores of a small machine: tests also wait, for streams, browsers and processes. Four are not faster.
    maxWorkers: 3,
    // No test takes half a minute on a quiet machine (longer ones state it), and none fails on one that is ten times slower.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    globalSetup: ['test/support/build-server.ts'],
    setupFiles: ['test/support/no-unhandled-rejections.ts'],
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    projects: projectsOf(mode),
  },
}));
