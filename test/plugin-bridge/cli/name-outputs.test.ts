import { describe, expect, it } from 'vitest';
import { nameOutputs } from '../../../plugin-bridge/cli/name-outputs.ts';

const SETTINGS = { preset: 'high', responsive: false, embedMetadata: false } as const;
const IN_LINUX = process.platform === 'linux';

function outputsOf(name: string, { hashedNames = false, keepExtension = false, sizes = [] as number[] } = {}) {
  const settings = { ...SETTINGS, format: 'webp' as const, responsive: sizes.length > 0, responsiveSizes: sizes };
  const files = [{ path: `/in/deep/${name}`, below: `deep/${name}` }];
  return nameOutputs(files, { settings, keepExtension, hashedNames, out: '/out' });
}

describe.runIf(IN_LINUX)('the name of a result', () => {
  // 240 bytes and an extension, which is longer for results.
  const long = '名'.repeat(80);

  it('may have 255 bytes', () => {
    expect(outputsOf(`${long}${'a'.repeat(10)}.png`)[0]?.target).toBe(`deep/${long}${'a'.repeat(10)}.webp`);
    expect(outputsOf(`${long}a.png`, { hashedNames: true })).toHaveLength(1);
  });

  it.each([
    ['by its format', `${long}${'a'.repeat(11)}.png`, {}, 256],
    ['by its extension', `${long}${'a'.repeat(7)}.png`, { keepExtension: true }, 256],
    ['by its hash', `${long}aa.png`, { hashedNames: true }, 256],
    ['by its sizes', `${long}${'a'.repeat(5)}.png`, { sizes: [480, 1440] }, 256],
  ])(
    'that would be longer %s ends the run before anything is paid, and its source is named',
    (_, name, how, length) => {
      expect(() => outputsOf(name, how)).toThrow(`  deep/${name}: ${length}, of at most 255\n`);
    },
  );
});
