import type { CmsHost, HostImage } from './cms-host.ts';

/** The images of these ids, by id, over as many pages as the host needs; ids it does not know are missing. */
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
