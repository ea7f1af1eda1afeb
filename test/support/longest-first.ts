import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Beginnings of the paths of long files, longest first: a long file that begins last leaves the other process idle. Vitest knows
 * how long a file takes only where it has run before.
 */
const LONG = [
  'test/attacks/',
  'test/drill/',
  'test/generators/',
  'test/admin/administer.nightly.test.ts',
  'test/crash/',
  'test/histories/',
  'test/http/',
  'test/db/embedded/',
  'test/wordpress/',
  'test/sign-in/interrupted.test.ts',
  'test/plugin-bridge/cli/',
  'test/processing/',
  'test/dashboard/',
  'test/widget/',
  'test/account-api/',
  'test/plugin-bridge/',
  'test/exports/',
];

/** Sorts as Vitest does, except that the files above come first within their project. */
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
