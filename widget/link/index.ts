// Owns links for site owners in the element: creating them, and their answers beside the images. Defines its elements.
import { ShareAnswerNote } from './share-answer.ts';
import { ShareLink } from './share-link.ts';

for (const [tag, element] of [
  ['io-share-answer', ShareAnswerNote],
  ['io-share-link', ShareLink],
] as const) {
  if (!customElements.get(tag)) customElements.define(tag, element);
}
