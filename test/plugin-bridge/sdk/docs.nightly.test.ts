import { expect, it } from 'vitest';
import { compileExamples, readExamples } from '../../support/compile-examples.ts';

it('has examples that compile', async () => {
  const examples = await readExamples('docs/sdk.md');
  expect(examples.length).toBeGreaterThan(3);
  expect(compileExamples(examples)).toEqual([]);
});

it('is compiled strictly', () => {
  const wrong = `import { createClient } from '@imagewright/sdk';
    createClient({ endpoint: '' }).checkCredits({ imageCount: 'three' });`;
  expect(compileExamples([wrong])).toEqual([
    expect.stringContaining("Type 'string' is not assignable to type 'number'"),
  ]);
});
