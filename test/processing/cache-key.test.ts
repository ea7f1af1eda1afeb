import { describe, expect, it } from 'vitest';
import { libraryVersions } from '../../server/processing/cache-key.ts';
import { type VariantKeyInput, variantKey } from '../../server/processing/index.ts';

const base: VariantKeyInput = {
  scope: 'acct_1',
  sourceSha256: 'ab'.repeat(32),
  inputFormat: 'jpeg',
  format: 'webp',
  preset: 'high',
  metadata: 'rights',
  variant: { name: '480w', width: 480, fit: 'inside' },
  search: true,
};

describe('variantKey', () => {
  it('is 64 hex digits and the same for the same input', () => {
    expect(variantKey(base)).toMatch(/^[0-9a-f]{64}$/);
    expect(variantKey({ ...base })).toBe(variantKey(base));
  });

  it.each<[string, Partial<VariantKeyInput>]>([
    ['scope', { scope: 'acct_2' }],
    ['source', { sourceSha256: 'cd'.repeat(32) }],
    ['input format', { inputFormat: 'png' }],
    ['format', { format: 'avif' }],
    ['original', { format: 'original' }],
    ['preset', { preset: 'low' }],
    ['search', { search: false }],
    ['copyright', { metadata: 'none' }],
    ['title', { embed: { title: 'A' } }],
    ['alt', { embed: { alt: 'A' } }],
    ['caption', { embed: { caption: 'A' } }],
    ['tags', { embed: { tags: ['A'] } }],
    ['writer', { embed: { title: 'A', writer: 'm' } }],
    ['signer', { signer: 'ab' }],
    ['full', { variant: { name: 'full' } }],
    ['width', { variant: { name: '481w', width: 481, fit: 'inside' } }],
    ['height', { variant: { name: '480w', width: 480, height: 100, fit: 'inside' } }],
    ['fit', { variant: { name: '480w', width: 480, height: 100, fit: 'cover' } }],
    [
      'focal point',
      { variant: { name: '480w', width: 480, height: 100, fit: 'cover', focalPoint: { x: 0.5, y: 0.5 } } },
    ],
  ])('changes with the %s', (_name, change) => {
    const changed = variantKey({ ...base, ...change });
    expect(changed).not.toBe(variantKey(base));
    if (change.embed?.title) expect(changed).not.toBe(variantKey({ ...base, embed: { alt: 'A' } }));
  });

  it.each<[string, Partial<VariantKeyInput>]>([
    ['the name of the variant', { variant: { name: 'other', width: 480, fit: 'inside' } }],
    ['a fit without a height', { variant: { name: '480w', width: 480, fit: 'cover' } }],
    ['an absent fit', { variant: { name: '480w', width: 480 } }],
    ['empty texts', { embed: { title: '', alt: null, caption: null, tags: [], language: null } }],
  ])('does not change with %s', (_name, change) => {
    expect(variantKey({ ...base, ...change })).toBe(variantKey(base));
  });

  it('contains the versions of the image library', () => {
    expect(libraryVersions().sharp).toMatch(/^\d+\.\d+\.\d+/);
    expect(libraryVersions().libvips).toMatch(/^\d/);
  });
});
