import { HostError } from '@imagewright/host';

/** Codes of the answers of the CMS. @type {Record<number, 'not_found' | 'forbidden' | 'changed' | 'no_space'>} */
const CODES = { 403: 'forbidden', 404: 'not_found', 409: 'changed', 507: 'no_space' };

/**
 * The host of this CMS, as docs/embedding.md explains it.
 * @param {string} site Address of the CMS; in a page, its own origin.
 * @returns {Promise<import('@imagewright/host').CmsHost>}
 */
export async function createHost(site) {
  const readToken = async () => (await fetch(`${site}/api/csrf-token`)).text();
  let token = await readToken();

  /** @param {string} path @param {RequestInit} [init] */
  async function call(path, init = {}) {
    const answer = await fetch(`${site}/api/media${path}`, { ...init, headers: { 'X-CSRF-Token': token } });
    if (answer.ok) return answer;
    const { error = `The CMS answered ${answer.status}.` } = await answer.json().catch(() => ({}));
    throw new HostError(CODES[answer.status] ?? 'failed', error);
  }

  return {
    id: `express-example:${site}`,

    async list({ cursor, limit = 50, ids, search, status }) {
      const query = new URLSearchParams({ limit: String(limit), page: cursor ?? '1' });
      if (ids) query.set('ids', ids.join(','));
      if (search) query.set('search', search);
      if (status) query.set('optimized', String(status === 'replaced'));
      const { media, next, total } = await (await call(`?${query}`)).json();
      return { images: media.map(toHostImage), nextCursor: next, total };
    },

    fetch: async (id, options) => (await call(`/${id}/original`, { signal: options?.signal ?? null })).blob(),

    async replace(id, { variants, metadata, original }) {
      const form = new FormData();
      for (const variant of variants) form.append(variant.name, await variant.blob(), variant.filename);
      form.append('original-sha256', original.sha256 ?? '');
      const confirmed = metadata?.source.alt === 'user' ? metadata.alt : null;
      if (confirmed) form.append('alt', confirmed);
      return (await call(`/${id}/replace`, { method: 'POST', body: form })).json();
    },

    restore: async (id) => (await call(`/${id}/restore`, { method: 'POST' })).json(),

    headers: () => ({ 'X-CSRF-Token': token }),

    async renew() {
      token = await readToken();
      return true;
    },

    settings: () => ({ format: 'webp', responsive: true, responsiveSizes: [480, 960, 1600] }),
  };
}

/** @param {{ id: number, name: string, optimized: boolean, title: string, alt: string, url: string, mime: string }} media */
function toHostImage({ id, name, optimized, ...fields }) {
  return /** @type {const} */ ({
    ...{ ...fields, id: String(id), filename: name, status: optimized ? 'replaced' : 'original' },
    ...{ width: null, height: null },
  });
}
