import { createHash } from 'node:crypto';
import {
  EMBEDDED_FIELDS,
  type EmbeddedTexts,
  type InputFormat,
  type OutputFormat,
  type Preset,
} from '#contract/constants';
import { libraryVersions } from './library-versions.ts';
import { QUALITY_VERSION } from './shared/presets.ts';
import type { VariantSpec } from './shared/variants.ts';

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
    ...EMBEDDED_FIELDS.map((field) => (embed?.[field]?.length ? embed[field] : null)),
    variant.width ?? null,
    variant.height ?? null,
    variant.height === undefined ? 'inside' : (variant.fit ?? 'inside'),
    QUALITY_VERSION,
    versions.sharp,
    versions.libvips,
  ];
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex');
}
