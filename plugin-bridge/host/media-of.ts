import type { CmsHost, HostImage } from './cms-host.ts';
import type { HostMedia } from './host-element.ts';

/** Returns an image as the element takes it: with its bytes, or with its address alone if the host's server sends them. */
export async function mediaOf(host: CmsHost, image: HostImage, signal: AbortSignal): Promise<HostMedia> {
  const { id, url, filename: name, title, alt } = image;
  const texts = { id, name, title, alt };
  return host.uploads && url ? { ...texts, url } : { ...texts, blob: await host.fetch(id, { signal }) };
}
