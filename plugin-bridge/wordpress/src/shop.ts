// Shows the optimized files of the variation that a visitor chooses. WooCommerce changes the `img` alone, by data of the variation.

interface Variation {
  image?: { sizes?: string | false; imagewright?: Record<string, string> };
}

/** The part of jQuery that listens to events of WooCommerce, which bubble up to the document. */
type Query = (target: Document) => {
  on(events: string, selector: string, handler: (event: { target: Element }, variation?: Variation) => void): void;
};

const { jQuery } = window as unknown as { jQuery?: Query };
const originals = new WeakMap<HTMLSourceElement, { srcset: string; sizes: string }>();

jQuery?.(document).on('found_variation reset_image', '.variations_form', ({ target }, variation) => {
  const shown = target.closest('.product')?.querySelector('.woocommerce-product-gallery__image .wp-post-image');
  for (const source of shown?.closest('picture')?.querySelectorAll('source') ?? []) {
    const original = originals.get(source) ?? { srcset: source.srcset, sizes: source.sizes };
    originals.set(source, original);
    const image = variation?.image;
    const srcset = image ? image.imagewright?.[source.type] : original.srcset;
    source.sizes = image ? image.sizes || '' : original.sizes;
    // Without candidates the browser takes those of the img.
    if (srcset) source.srcset = srcset;
    else source.removeAttribute('srcset');
  }
});
