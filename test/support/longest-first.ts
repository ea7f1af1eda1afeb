import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Where files take longest, with the longest first: a long one that begins last keeps the run waiting with one of its
 * processes idle. Vitest knows how long a file takes only where it has run before.
 */
const LONG = [
  'test/crash/server-killed.test.ts',
  'test/wordpress/',
  'test/crash/',
  'test/http/malformed-bodies.test.ts',
  'test/db/embedded/',
  'test/http/',
  'test/widget/accessibility.test.ts',
  'test/dashboard/accessibility.test.ts',
  'test/plugin-bridge/cli/resuming.test.ts',
  'test/widget/',
  'test/exports/',
];

/** Sorts as Vitest does, but the files above come first within their project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId);
      const found = LONG.findIndex((start) => path.startsWith(start));
      return (project.config.isolate ? 0 : LONG.length + 1) + (found === -1 ? LONG.length : found);
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
