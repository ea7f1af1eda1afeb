import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EMBEDDED_FIELDS, type InputFormat, type MetadataLevel } from '#contract/constants';
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
    ...(input.insists ? ['exact'] : []),
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

/**
 * Reads the version of the package that decodes HEIC, which the service process never loads.
 * @throws Error if it is not installed
 */
export function heicDecoderVersion(): string {
  try {
    return (createRequire(import.meta.url)('libheif-js/package.json') as { version: string }).version;
  } catch (error) {
    throw new Error('HEIC_INPUT=on needs the package libheif-js, which is not installed', { cause: error });
  }
}

/** Returns the versions of the search and of the image library. Another version may make other bytes of the same source and settings. */
export function engineVersion(): string {
  versions ??= libraryVersions();
  return [QUALITY_VERSION, versions.sharp, versions.libvips].join('-');
}

/**
 * Reads the versions of the image library from its package metadata, since the service process never loads the library. The
 * prebuilt binaries are pinned to exact versions there.
 */
export function libraryVersions(): { sharp: string; libvips: string } {
  // The package exports its entry alone, so its package.json is located from there.
  const entry = createRequire(import.meta.url).resolve('sharp');
  const metadata = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
    version: string;
    optionalDependencies?: Record<string, string>;
  };
  const binary = `@img/sharp-libvips-${process.platform}-${process.arch}`;
  return { sharp: metadata.version, libvips: metadata.optionalDependencies?.[binary] ?? 'unknown' };
}
