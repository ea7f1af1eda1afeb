/** Thumbnails that are being made; more at a time make none of them sooner. */
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

/** A small picture of a file, made when it comes into sight. */
export class FolderThumb extends HTMLElement {
  /** Gets the file's bytes. */
  load: (() => Promise<Blob>) | null = null;

  connectedCallback(): void {
    this.setAttribute('aria-hidden', 'true');
    seen.observe(this);
  }

  disconnectedCallback(): void {
    seen.unobserve(this);
  }

  /** Makes the picture, once. */
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
    // Chromium forgets which way is up when a bitmap is handed over.
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    bitmap.close();
    this.replaceChildren(canvas);
  }
}
