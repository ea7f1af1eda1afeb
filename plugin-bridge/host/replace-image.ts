import type { ImageResult, Metadata, Settings } from '#contract';
import type { CmsHost, Replaced, Replacement, ReplacementVariant } from './cms-host.ts';
import { HostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';
import { checkReplaceable, placeOf, type ReplaceRules } from './replace-rules.ts';
import { type DecodeImage, verifyDownload } from './verify-download.ts';

/** What the replacing of images needs. */
export interface ReplaceDependencies {
  host: CmsHost;
  /** Fetches an exported file. */
  download: (namespace: string, filename: string, signal?: AbortSignal) => Promise<Blob>;
  decode: DecodeImage;
  text: (key: HostTextKey) => string;
}

/** An exported image and what belongs to it. */
export interface ExportedImage {
  /** The CMS's id. */
  id: string;
  result: ImageResult;
  metadata: Metadata | null;
  settings: Settings;
}

/**
 * Gives an image's results to the CMS, once they are known to be allowed and whole: every file is downloaded and verified
 * before the CMS is asked to change anything. A host with `downloads` gets the same promise lazily.
 * @throws HostError
 */
export async function replaceImage(
  { id, result, metadata, settings }: ExportedImage,
  { host, download, decode, text }: ReplaceDependencies,
  { signal, ...rules }: ReplaceRules & { signal?: AbortSignal } = {},
): Promise<Replaced> {
  const variants = result.variants.map((variant): ReplacementVariant => {
    const { namespace, filename } = placeOf(variant.url);
    let verified: Promise<Blob> | null = null;
    const fetchVerified = async () => {
      const blob = await download(namespace, filename, signal);
      await verifyDownload(blob, variant, decode);
      return blob;
    };
    const { name, width, height, size, sha256, url } = variant;
    return {
      ...{ name, width, height, size, sha256, url },
      filename: variant.filename,
      mime: result.mimeType ?? `image/${result.format}`,
      // A failed download may be tried again; a good one is kept.
      blob: () => {
        verified ??= fetchVerified().catch((error: unknown) => {
          verified = null;
          throw error;
        });
        return verified;
      },
    };
  });
  const first = result.variants[0];
  const replacement: Replacement = {
    variants,
    metadata,
    settings,
    original: result.original,
    sessionId: first ? placeOf(first.url).namespace : '',
    imageId: result.imageId,
  };
  try {
    checkReplaceable(result, rules, text);
  } catch (error) {
    // What it says of that changes nothing for the image at hand.
    if (isNoGain(error)) await host.noGain?.(id, replacement, { signal }).catch(() => {});
    throw error;
  }
  const goOn = () => {
    if (signal?.aborted) throw new HostError('stopped', text('host.stopped'));
  };
  goOn();
  if (!host.downloads) for (const variant of variants) await variant.blob();
  goOn();
  return host.replace(id, replacement, { signal });
}

function isNoGain(error: unknown): boolean {
  return error instanceof HostError && (error.code === 'larger' || error.code === 'no_gain');
}
