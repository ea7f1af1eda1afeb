/** Defines an element unless the page has one of that name: a second definition would throw. */
export function defineElement(tag: string, element: CustomElementConstructor): void {
  if (!customElements.get(tag)) customElements.define(tag, element);
}
