import { rgbaToThumbHash } from 'thumbhash';
import { describe, expect, it } from 'vitest';
import type { ImageResult, Variant } from '#contract';
import { writeHtml } from '../../server/processing/index.ts';

function file(name: string, format: string | undefined, width: number, height: number): Variant {
  const extension = { jpeg: 'jpg' }[format ?? ''] ?? format ?? 'webp';
  const filename = `a b${name === 'full' ? '' : `-${name}`}.${extension}`;
  const facts = { path: '', size: 1, url: '', sha256: '' };
  return { name, ...(format ? { format } : {}), ...facts, width, height, filename };
}

function html(variants: Variant[], rest: Partial<ImageResult> = {}): string | null {
  return writeHtml({ format: variants[0]?.format ?? 'webp', variants, ...rest } as ImageResult);
}

const texts = (alt: string | null, title: string | null = null) => ({ metadata: { filename: null, title, alt } });

describe('the HTML of a result', () => {
  it('of one file is an img with its size', () => {
    expect(html([file('full', 'webp', 800, 600)], texts('A bay'))).toBe(
      '<img src="a%20b.webp" width="800" height="600" alt="A bay" loading="lazy" decoding="async">',
    );
  });

  it('lists widths that show the whole image, and no crops', () => {
    const variants = [file('full', 'webp', 800, 600), file('401w', 'webp', 401, 301), file('100w', 'webp', 100, 100)];
    const written = html(variants) ?? '';
    expect(written).toContain('srcset="a%20b.webp 800w, a%20b-401w.webp 401w" sizes="(max-width: 800px) 100vw, 800px"');
    expect(written).not.toContain('100w.webp');
  });

  it.each([[['avif', 'webp', 'jpeg']], [['jpeg', 'webp', 'avif']], [['webp', 'png', 'avif', 'jpeg']]])(
    'of %j offers AVIF before WebP, and one that every browser shows as the img',
    (formats) => {
      const written = html(formats.map((format) => file('full', format, 800, 600))) ?? '';
      const old = formats.find((format) => format === 'jpeg' || format === 'png');
      const [first, second, third] = [...written.matchAll(/<(source|img)[^>]*>/g)].map(([tag]) => tag);
      expect(first).toMatch(/^<source type="image\/avif" srcset="a%20b\.avif 800w"/);
      expect(second).toMatch(/^<source type="image\/webp" srcset="a%20b\.webp 800w"/);
      expect(third).toMatch(new RegExp(`^<img src="a%20b\\.${old === 'jpeg' ? 'jpg' : 'png'}"`));
      expect(written).toMatch(/^<picture>.*<\/picture>$/);
    },
  );

  it('leaves out an AVIF that is larger than the WebP', () => {
    const variants = [
      { ...file('full', 'avif', 8, 6), size: 9 },
      { ...file('full', 'webp', 8, 6), size: 8 },
    ];
    const written = html([...variants, file('full', 'jpeg', 8, 6)]) ?? '';
    expect(written).toMatch(/^<picture><source type="image\/webp"[^>]*><img src="a%20b\.jpg"/);
    expect(html(variants)).toMatch(/^<img src="a%20b\.webp"/);
  });

  it('leaves out stills of an animation, also among widths, unless no file moves', () => {
    const still = (name: string, format: string, width: number, height: number) => {
      return { ...file(name, format, width, height), lacks: ['animation' as const] };
    };
    const stills = [still('full', 'avif', 8, 6), still('full', 'jpeg', 8, 6)];
    expect(html([...stills, file('full', 'webp', 8, 6)])).toMatch(/^<img src="a%20b\.webp"/);
    expect(html([file('full', 'png', 8, 6), still('4w', 'png', 4, 3)])).not.toContain('srcset');
    expect(html(stills)).toMatch(/^<picture><source type="image\/avif".*<img src="a%20b\.jpg"/);
  });

  it('escapes texts, and leaves an unknown one out but not an empty one', () => {
    const one = [file('full', 'webp', 8, 6)];
    expect(html(one, texts('"><script>&', "it's <b>"))).toContain(
      ` alt="&quot;&gt;&lt;script&gt;&amp;" title="it's &lt;b&gt;" `,
    );
    expect(html(one, texts(null))).not.toContain('alt=');
    expect(html(one, texts(''))).toContain(' alt=""');
  });

  it('has the placeholder, and its mean colour where that cannot show through', () => {
    const hashOf = (alpha: number) =>
      Buffer.from(
        rgbaToThumbHash(2, 2, Uint8Array.from([255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, alpha])),
      );
    const one = [file('full', 'webp', 8, 6)];
    const opaque = hashOf(255).toString('base64');
    expect(html(one, { placeholder: opaque })).toMatch(
      /data-thumbhash="[\w+/=]+" style="background:rgb\(2\d\d \d+ \d+\)">$/,
    );
    expect(html(one, { placeholder: hashOf(0).toString('base64') })).toMatch(/data-thumbhash="[\w+/=]+">$/);
  });

  it('is null without a whole-size file, and works on results of earlier versions', () => {
    expect(html([])).toBeNull();
    expect(html([file('480w', 'webp', 480, 300)])).toBeNull();
    expect(html([file('full', undefined, 480, 300)])).toMatch(/^<img src="a%20b.webp"/);
  });

  it('leaves out a format of which the whole size is not delivered', () => {
    const variants = [file('480w', 'avif', 480, 360), file('full', 'webp', 800, 600)];
    expect(html(variants)).toMatch(/^<img src="a%20b.webp"/);
  });
});
