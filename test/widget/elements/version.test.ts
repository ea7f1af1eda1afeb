import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { VERSION } from '../../../widget/version.ts';

it('the element has the version of its package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(version);
});
