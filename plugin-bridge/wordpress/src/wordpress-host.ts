import type { ResponsiveSize, Settings } from '#contract';
import {
  type Checked,
  type CmsHost,
  HostError,
  type HostErrorCode,
  type HostImage,
  type HostQuery,
  type Replacement,
} from '../../host/index.ts';
import { type Rest, RestError } from './rest.ts';
import type { LibraryImage, SiteConfig } from './site-config.ts';

/** Host error codes by code of the plugin; unknown codes become `failed`. */
const CODES: Record<string, HostErrorCode> = {
  imagewright_busy: 'locked',
  imagewright_edited: 'changed',
  imagewright_source_changed: 'changed',
  imagewright_other_image: 'changed',
  imagewright_not_smaller: 'larger',
  imagewright_not_an_export: 'sample',
  imagewright_bad_download: 'damaged',
  imagewright_backup_missing: 'no_backup',
  imagewright_cannot_open: 'unsupported',
  imagewright_not_local: 'unsupported',
  imagewright_no_sizes: 'unsupported',
  imagewright_not_an_image: 'unsupported',
  imagewright_unknown_type: 'unsupported',
  imagewright_not_saved: 'no_space',
  insufficient_storage: 'no_space',
  logged_out: 'expired',
  rest_forbidden: 'forbidden',
};

/** Sizes of exports for this site. */
export interface ExportSettings {
  responsive: boolean;
  responsiveSizes?: ResponsiveSize[];
  focalPoint: Settings['focalPoint'];
  onlySmaller: boolean;
  hdr?: Settings['hdr'];
  metadata?: Settings['metadata'];
}

/** Creates the host for WordPress: the media library by the plugin's routes. WordPress downloads the results itself. */
export function createWordPressHost(rest: Rest, config: SiteConfig): CmsHost {
  return {
    id: `wordpress:${config.root}`,
    downloads: true,
    uploads: true,

    async list({ cursor = '1', limit = 50, ids: wanted, search, status }: HostQuery) {
      const ids = wanted?.filter((id) => /^\d+$/.test(id));
      if (ids?.length === 0) return { images: [], nextCursor: null, total: 0 };
      const page = Number(cursor);
      const size = Math.min(limit, 100);
      const found = await rest.call<{ items: LibraryImage[]; total: number }>('GET', '/attachments', {
        query: {
          page,
          per_page: size,
          ...(ids ? { ids } : {}),
          ...(search ? { search } : {}),
          status: status === 'original' ? 'none' : status === 'replaced' ? 'optimized' : 'any',
        },
      });
      const images = found.items.map(imageOf);
      return { images, nextCursor: page * size < found.total ? String(page + 1) : null, total: found.total };
    },

    fetch: (id, { signal } = {}) => hostCall(() => rest.blob(`/attachments/${id}/original`, signal)),

    // Before an upload, the route that sends the file checks it.
    check: async (id, { uploaded, signal } = {}) => {
      if (!uploaded) return undefined;
      const { size, sha256 } = uploaded;
      const query = { size, ...(sha256 && { sha256 }) };
      return hostCall(() => rest.call<Checked>('GET', `/attachments/${id}/check`, { query, signal }));
    },

    replace: (id, replacement, { signal } = {}) =>
      hostCall(() =>
        rest.call<LibraryImage>('POST', `/attachments/${id}/replace`, { json: replacementOf(replacement), signal }),
      ),

    // The route checks, rejects and stores the reason, so that bulk runs leave the image out.
    noGain: async (id, replacement, { signal } = {}) => {
      await rest.call('POST', `/attachments/${id}/replace`, { json: replacementOf(replacement), signal });
    },

    restore: (id, { signal } = {}) =>
      hostCall(() => rest.call('POST', `/attachments/${id}/restore`, { json: {}, signal })),

    strings: () => config.widgetStrings as Partial<Record<string, string>>,
    headers: () => rest.headers(),
    renew: () => rest.renew(),
    settings: async () => ({
      ...(await rest.call<ExportSettings>('GET', '/export-settings')),
      ...(config.settings as { format: 'webp'; preset: 'high' }),
    }),
  };
}

function imageOf(image: LibraryImage): HostImage {
  const { id, url, filename, title, alt, width, height, mime, picture, obstacle } = image;
  return {
    ...{ id: String(id), url: url || null, filename, mime, alt: alt || null },
    title: image.ownTitle && title ? title : null,
    width: width || null,
    height: height || null,
    bytes: image.bytes?.before ?? null,
    status: obstacle ? 'unavailable' : ['optimized', 'outdated'].includes(picture) ? 'replaced' : 'original',
    ...(obstacle && { reason: obstacle }),
  };
}

/** Converts a replacement to the body of the route. The server downloads the files itself. */
function replacementOf({ sessionId, imageId, variants, metadata }: Replacement): Record<string, unknown> {
  const source: Record<string, string> = metadata?.source ?? {};
  const isOwn = (field: string) => source[field] === 'user';
  return {
    sessionId,
    imageId,
    sha256: variants[0]?.sha256 ?? '',
    alt: metadata?.alt ?? null,
    title: metadata?.title ?? null,
    // A new name changes addresses, so only a person may choose one.
    filename: isOwn('filename') ? (metadata?.filename ?? null) : null,
    confirmed: ['alt', 'title'].filter(isOwn),
  };
}

/** Converts errors of the routes to host errors. */
async function hostCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    const byStatus = error.status === 403 ? 'forbidden' : error.status === 404 ? 'not_found' : 'failed';
    throw new HostError(CODES[error.code] ?? byStatus, error.message, { cause: error });
  }
}
