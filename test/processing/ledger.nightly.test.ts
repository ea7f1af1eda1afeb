import { it } from 'vitest';
import { startHarness } from './processor-harness.ts';
import { checkRandomFiles } from './random-metadata.ts';

const FILES = 2_000;

it(`${FILES} random sets of metadata lose nothing that is kept and carry nothing private`, async () => {
  const harness = await startHarness({ WORKERS: 1, QUALITY_SEARCH: 'off' });
  try {
    await checkRandomFiles(harness, FILES);
  } finally {
    await harness.close();
  }
}, 1_200_000);
