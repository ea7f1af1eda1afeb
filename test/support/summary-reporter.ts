import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Says on which store a run works, and ends it with one line that machines can read: `N passed, N failed, N skipped`. */
export class SummaryReporter implements Reporter {
  onTestRunStart(): void {
    process.stdout.write(`Database of the tests: ${storeOf(process.env.TEST_MONGODB_URI)}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const before = counts.failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'skipped' : state] += 1;
      }
      // A file that could not even be loaded, or whose hooks failed, may have no failed test of its own.
      if (module.state() === 'failed' && counts.failed === before) counts.failed += 1;
    }
    const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}

/** Without the password that a connection string may have. */
function storeOf(uri: string | undefined): string {
  if (!uri) return 'the embedded store (TEST_MONGODB_URI is not set)';
  return `the MongoDB server at ${new URL(uri).host} (TEST_MONGODB_URI); of its own crashes, the embedded store`;
}
