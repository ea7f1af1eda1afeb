import type { CmsHost, HostImage } from './cms-host.ts';

/** Lists the images of these ids over all pages of the host. Returns them by id; unknown ids are missing. */
export async function listAll(host: CmsHost, ids: readonly string[]): Promise<Map<string, HostImage>> {
  const found = new Map<string, HostImage>();
  if (ids.length === 0) return found;
  let cursor: string | undefined;
  do {
    const page = await host.list({ ids, limit: ids.length, ...(cursor && { cursor }) });
    for (const image of page.images) found.set(image.id, image);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return found;
}
