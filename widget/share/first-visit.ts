import { loadTexts, preferredLanguage } from './load-texts.ts';
import { createShareClient } from './share-client.ts';

/** Opens the link of the page's address, and asks for its images. */
export function openLink() {
  const client = createShareClient(location.hash.slice(1));
  const images = client.images();
  // The page shows the error.
  images.catch(() => {});
  return { client, images };
}

/** The link as the page was opened with it. */
export const firstLink = openLink();

/** Texts in the language of the browser. */
export const firstTexts = loadTexts(preferredLanguage());
