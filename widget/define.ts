import { defineElement } from './elements/define-element.ts';
import { ImageOptimizer } from './elements/image-optimizer/index.ts';
import { IoCost } from './elements/io-cost/index.ts';
import { IoDropzone } from './elements/io-dropzone/index.ts';
import { IoList } from './elements/io-list/index.ts';
import { IoLive } from './elements/io-live/index.ts';
import { IoRow } from './elements/io-row/index.ts';
import { IoSettings } from './elements/io-settings/index.ts';
import { VERSION } from './version.ts';

/** Every element of the widget but those that are loaded when they are needed. The public one is the last. */
const ELEMENTS: readonly (readonly [tag: string, element: CustomElementConstructor])[] = [
  ['io-live', IoLive],
  ['io-dropzone', IoDropzone],
  ['io-row', IoRow],
  ['io-list', IoList],
  ['io-settings', IoSettings],
  ['io-cost', IoCost],
  ['image-optimizer', ImageOptimizer],
];

const owner = customElements.get('image-optimizer') as { version?: string } | undefined;
if (owner) {
  // Two plugins may bring the widget. The first one's elements fit each other; mixing versions would not.
  if (owner.version !== VERSION) {
    console.warn(
      `<image-optimizer> ${owner.version ?? 'of an unknown version'} is defined already; ${VERSION} is not used.`,
    );
  }
} else {
  for (const [tag, element] of ELEMENTS) defineElement(tag, element);
}

export { ImageOptimizer };
