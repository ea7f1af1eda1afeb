import type { ImageResult, Metadata, Settings } from '#contract';
import { placeOf } from '#contract/constants';
import type { CmsHost, Replaced, Replacement, ReplacementVariant } from './cms-host.ts';
import { HostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';
import { checkReplaceable, mainFiles, type ReplaceRules } from './replace-rules.ts';
import { type DecodeImage, verifyDownload } from './verify-download.ts';

/** Dependencies of {@link replaceImage}. */
export interface ReplaceDependencies {
  host: CmsHost;
  /** Downloads an exported file. `filename`: the parameter of its address, which names its bytes. */
  download: (namespace: string, filename: string, signal?: AbortSignal) => Promise<Blob>;
  decode: DecodeImage;
  text: (key: HostTextKey) => string;
}

/** An exported image with its texts and settings. */
export interface ExportedImage {
  /** Id at the CMS. */
  id: string;
  result: ImageResult;
  metadata: Metadata | null;
  settings: Settings;
  /** Session of a result without files. */
  sessionId?: string | null;
}

/**
 * Replaces an image of the CMS by its results. Checks the rules, then downloads and verifies every file, before the CMS
 * changes anything. A host with `downloads` verifies the files itself.
 * @throws HostError
 */
export async function replaceImage(
  { id, result, metadata, settings, sessionId }: ExportedImage,
  { host, download, decode, text }: ReplaceDependencies,
  { signal, ...rules }: ReplaceRules & { signal?: AbortSignal } = {},
): Promise<Replaced> {
  const variants = mainFiles(result).map((variant): ReplacementVariant => {
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
      // A failed download may be repeated; a verified one is kept.
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
    sessionId: first ? placeOf(first.url).namespace : (sessionId ?? ''),
    imageId: result.imageId,
  };
  try {
    checkReplaceable(result, rules, text);
  } catch (error) {
    // An error of this remark does not change the outcome.
    if (isNoGain(error)) await host.noGain?.(id, replacement, { signal }).catch(() => {});
    throw error;
  }
  const throwIfStopped = () => {
    if (signal?.aborted) throw new HostError('stopped', text('host.stopped'));
  };
  throwIfStopped();
  if (!host.downloads) for (const variant of variants) await variant.blob();
  throwIfStopped();
  return host.replace(id, replacement, { signal });
}

function isNoGain(error: unknown): boolean {
  return error instanceof HostError && (error.code === 'larger' || error.code === 'no_gain');
}
