import { defineElement } from './elements/define-element.ts';
import { ImageOptimizer } from './elements/image-optimizer/index.ts';
import { IoDropzone } from './elements/io-dropzone/index.ts';
import { IoLive } from './elements/io-live/index.ts';
import { VERSION } from './version.ts';

/** Elements of the first paint, the public one last. The others are defined when they are loaded. */
const ELEMENTS: readonly (readonly [tag: string, element: CustomElementConstructor])[] = [
  ['io-live', IoLive],
  ['io-dropzone', IoDropzone],
  ['image-optimizer', ImageOptimizer],
];

const owner = customElements.get('image-optimizer') as { version?: string } | undefined;
if (owner) {
  // Two plugins may contain the widget. The first one defines all elements, since mixed versions do not fit together.
  if (owner.version !== VERSION) {
    console.warn(
      `<image-optimizer> ${owner.version ?? 'of an unknown version'} is defined already; ${VERSION} is not used.`,
    );
  }
} else {
  for (const [tag, element] of ELEMENTS) defineElement(tag, element);
}

export { ImageOptimizer };
