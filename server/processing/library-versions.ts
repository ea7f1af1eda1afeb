import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

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
