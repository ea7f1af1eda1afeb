/** Thumbnails in progress; more at once would not be faster. */
const LIMIT = 2;
const EDGE = 96;
const queue: (() => Promise<void>)[] = [];
let running = 0;

async function next(): Promise<void> {
  const make = running < LIMIT ? queue.pop() : undefined;
  if (!make) return;
  running += 1;
  await make().catch(() => {});
  running -= 1;
  void next();
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) (target as FolderThumb).request();
});

/** Thumbnail of a file, made when it comes into view. */
export class FolderThumb extends HTMLElement {
  /** Reads the file. */
  load: (() => Promise<Blob>) | null = null;

  connectedCallback(): void {
    this.setAttribute('aria-hidden', 'true');
    seen.observe(this);
  }

  disconnectedCallback(): void {
    seen.unobserve(this);
  }

  /** Makes the thumbnail once. */
  request(): void {
    seen.unobserve(this);
    queue.push(() => this.#make());
    void next();
  }

  async #make(): Promise<void> {
    if (!this.load || !this.isConnected) return;
    const bitmap = await createImageBitmap(await this.load(), { resizeWidth: EDGE, resizeQuality: 'medium' });
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    // Chromium loses the EXIF orientation of transferred bitmaps.
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    bitmap.close();
    this.replaceChildren(canvas);
  }
}
