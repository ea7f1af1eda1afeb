import { describe, it } from 'vitest';
import { conformanceTests } from '../../plugin-bridge/host/conformance/index.ts';
import { photographs } from '../plugin-bridge/host/photographs.ts';
import { libraryKit } from './library-kit.ts';

describe('the media library of WordPress', async () => {
  const tests = conformanceTests(libraryKit(await photographs(4, { width: 400 })));
  for (const { name, run } of tests) it(name, { timeout: 1_800_000 }, run);
});
