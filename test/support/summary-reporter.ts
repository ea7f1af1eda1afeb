import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Files that are listed as the slowest at the end of a run. */
const LISTED = 15;

/**
 * Prints the store that a run works on and, at its end, the slowest files, the failed tests and one line that machines can
 * read: `N passed, N failed, N skipped`.
 */
export class SummaryReporter implements Reporter {
  onTestRunStart(): void {
    process.stdout.write(`Database of the tests: ${storeOf(process.env.TEST_MONGODB_URI)}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const failed: string[] = [];
    for (const module of modules) {
      const before = counts.failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'skipped' : state] += 1;
        if (state === 'failed') failed.push(`FAILED: ${module.relativeModuleId} > ${test.fullName}\n`);
      }
      // A file that could not even be loaded, or whose hooks failed, may have no failed test of its own.
      if (module.state() === 'failed' && counts.failed === before) {
        counts.failed += 1;
        failed.push(`FAILED: ${module.relativeModuleId}\n`);
      }
    }
    const slowest = [...modules].sort((a, b) => b.diagnostic().duration - a.diagnostic().duration).slice(0, LISTED);
    const files = slowest.map((module) => {
      const seconds = (module.diagnostic().duration / 1000).toFixed(1);
      return `${seconds.padStart(8)} s  ${module.relativeModuleId}\n`;
    });
    const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
    process.once('exit', () => process.stdout.write(`Slowest files:\n${[...files, ...failed].join('')}${line}\n`));
  }
}

/** Names the store without the password that a connection string may have. */
function storeOf(uri: string | undefined): string {
  if (!uri) return 'the embedded store (TEST_MONGODB_URI is not set)';
  return `the MongoDB server at ${new URL(uri).host} (TEST_MONGODB_URI); of its own crashes, the embedded store`;
}
