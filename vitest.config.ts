import { defineConfig } from 'vitest/config';
import { builtWorkers } from './test/support/built-workers.ts';
import { SummaryReporter } from './test/support/summary-reporter.ts';

export default defineConfig({
  plugins: [builtWorkers()],
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A condition that is waited for may take long on a loaded machine; one second is the default.
    expect: { poll: { timeout: 15_000 } },
    // Real browsers and processes on a shared machine: what fails once and then passes is listed as retried, and looked at.
    retry: process.env.CI ? 1 : 0,
    globalSetup: ['test/support/build-server.ts'],
    reporters: ['default', new SummaryReporter()],
  },
});
