import { describe, expect, it } from 'vitest';
import { cleanText } from '../../server/analysis/clean-text.ts';
import { cleanTags } from '../../server/analysis/describe-from-file.ts';
import { expectSteady } from '../support/cpu-time.ts';

const whole = (text: string) => cleanText(text, { maxLength: 10_000, withoutLinks: true }).text;

describe('texts that are built to be slow', () => {
  it.each(['a.', 'A.', 'a-', 'a+'])('many tags of %j are cleaned at once', (part) => {
    expectSteady((share) => {
      cleanTags(Array(100).fill(part.repeat(1300 * share)), 20);
    });
  });

  it.each(['a.', 'A.', 'a-', 'a+', 'a.a-'])('a text of %j is read once', (part) => {
    expectSteady((share) => {
      for (let round = 0; round < 10; round += 1) whole(part.repeat((4000 / part.length) * share));
    });
  });
});

it('addresses are removed, as long as they may be', () => {
  const label = 'b'.repeat(63);
  const name = 'n'.repeat(64);
  expect(whole(`see ${label}.${label}.example/path now`)).toBe('see now');
  expect(whole(`ask ${name}@${label}.example now`)).toBe('ask now');
  expect(whole('a.b.c.d.example.com/x and e.g. and readme.md')).toBe('and e.g. and readme.md');
});
