import { defineConfig } from 'vitest/config';
import { builtWorkers } from './test/support/built-workers.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { SummaryReporter } from './test/support/summary-reporter.ts';

/** Tests about processes, their memory and their ends, or with modules that are replaced: each file in a process of its own. */
const APART = [
  'test/{crash,db,http,sse}/**/*.test.ts',
  'test/analysis/{time-limit,provider-loading}.test.ts',
  'test/*.test.ts',
];

export default defineConfig({
  plugins: [builtWorkers()],
  test: {
    pool: 'forks',
    environment: './test/support/node-environment.ts',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A condition that is waited for may take long on a loaded machine; one second is the default.
    expect: { poll: { timeout: 15_000 } },
    // Real browsers and processes on a shared machine: what fails once and then passes is listed as retried, and looked at.
    retry: process.env.CI ? 1 : 0,
    globalSetup: ['test/support/build-server.ts'],
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'apart', include: APART } },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...APART],
          // Loading the server's dependencies takes a second of each file that begins in a new process.
          isolate: false,
          setupFiles: ['test/support/leave-no-trace.ts'],
        },
      },
    ],
  },
});
