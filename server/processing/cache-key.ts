import { createHash } from 'node:crypto';
import { EMBEDDED_FIELDS, type InputFormat, type MetadataLevel } from '#contract/constants';
import { heicDecoderVersion, libraryVersions } from './library-versions.ts';
import { QUALITY_VERSION } from './shared/presets.ts';
import type { OutputSettings } from './shared/protocol.ts';
import type { VariantSpec } from './shared/variants.ts';

/** Everything that determines the bytes of a variant. */
export interface VariantKeyInput extends OutputSettings {
  /** Account id: equal files of two accounts never share a cache entry. */
  scope: string;
  sourceSha256: string;
  inputFormat: InputFormat;
  variant: VariantSpec;
  /** True if the quality is searched for each image. */
  search: boolean;
  /** Identity of what signs the content credentials; absent: they are not signed. */
  signer?: string | undefined;
}

let versions: { sharp: string; libvips: string } | undefined;

/**
 * Computes the cache key of a variant: SHA-256 in hex over the account and everything that may change the bytes, but not the
 * variant's name. Different keys may stand for the same bytes, e.g. two presets of a kept file.
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
    keyOfLevel(input.metadata),
    ...EMBEDDED_FIELDS.map((field) => (embed?.[field]?.length ? embed[field] : null)),
    variant.width ?? null,
    variant.height ?? null,
    ...fitOf(variant),
    input.search,
    QUALITY_VERSION,
    versions.sharp,
    versions.libvips,
    ...(input.inputFormat === 'heic' ? [heicDecoderVersion()] : []),
    // Absent ones are left out: keys of before versions stay.
    ...(embed?.writer ? [{ writer: embed.writer }] : []),
    ...(input.signer ? [{ signer: input.signer }] : []),
  ];
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex');
}

/** Returns what of the fit decides the bytes: for a crop also its place. */
function fitOf({ height, fit = 'inside', focalPoint }: VariantSpec): unknown[] {
  if (height === undefined) return ['inside'];
  return fit === 'cover' ? ['cover', focalPoint ? [focalPoint.x, focalPoint.y] : 'attention'] : ['inside'];
}

/** Two of the levels stand for the values of an older setting, `keepCopyright`, so that keys stay. */
function keyOfLevel(level: MetadataLevel): boolean | string {
  return level === 'rights' ? true : level === 'none' ? false : level;
}
