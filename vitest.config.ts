import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/support/summary-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // A condition that is waited for may take long on a loaded machine; one second is the default.
    expect: { poll: { timeout: 15_000 } },
    globalSetup: ['test/support/build-server.ts'],
    reporters: ['default', new SummaryReporter()],
  },
});
