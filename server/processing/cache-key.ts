import { createHash } from 'node:crypto';
import type { InputFormat, OutputFormat, Preset } from '#contract';
import { libraryVersions } from './library-versions.ts';
import { QUALITY_VERSION } from './presets.ts';
import type { VariantSpec } from './variants.ts';

/** Texts that are written into the files as XMP. */
export interface EmbeddedTexts {
  title?: string | null;
  alt?: string | null;
  caption?: string | null;
  tags?: string[];
  /** BCP 47, of all the texts. */
  language?: string | null;
}

/** Everything that decides the bytes of a variant. */
export interface VariantKeyInput {
  /** Account id: equal files of two accounts never share a cache entry. */
  scope: string;
  sourceSha256: string;
  inputFormat: InputFormat;
  format: OutputFormat;
  preset: Preset;
  keepCopyright: boolean;
  embed?: EmbeddedTexts | undefined;
  variant: VariantSpec;
}

let versions: { sharp: string; libvips: string } | undefined;

/**
 * The cache key of a variant: SHA-256 in hex over all that may change its bytes (so not its name), and over the account, which does
 * not: accounts share nothing. Different keys may still stand for the same bytes, as with the preset of a kept file.
 */
export function variantKey(input: VariantKeyInput): string {
  versions ??= libraryVersions();
  const { variant, embed } = input;
  const canonical = [
    input.scope,
    input.sourceSha256,
    input.inputFormat,
    input.format,
    input.preset,
    input.keepCopyright,
    embed?.title || null,
    embed?.alt || null,
    embed?.caption || null,
    embed?.tags?.length ? embed.tags : null,
    embed?.language || null,
    variant.width ?? null,
    variant.height ?? null,
    variant.height === undefined ? 'inside' : (variant.fit ?? 'inside'),
    QUALITY_VERSION,
    versions.sharp,
    versions.libvips,
  ];
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex');
}
