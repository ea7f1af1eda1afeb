// Test page of the comparison: defines the element and makes pairs of served files.
import { type ComparePair, type CompareSide, IoCompare } from '../../../widget/elements/io-compare/index.ts';

customElements.define('io-compare', IoCompare);

/** Side of a comparison, as serializable data. */
export interface SideInput extends Partial<Omit<CompareSide, 'blob' | 'fallback'>> {
  file: string;
  fallback?: string;
}

const load = async (name: string) => {
  const answer = await fetch(`/${name}`);
  if (!answer.ok) throw new Error(`no ${name}`);
  return answer.blob();
};

function toSide({ file, fallback, ...known }: SideInput): CompareSide {
  const { size = null, width = null, height = null, format = '', score = null } = known;
  return {
    ...known,
    ...{ size, width, height, format, score },
    blob: () => load(file),
    ...(fallback && { fallback: () => load(fallback) }),
  };
}

/** Shows pairs in a new element; the page keeps it as `window.element`. */
export function show(pairs: { name: string; original: SideInput; result: SideInput }[]): void {
  const element = new IoCompare();
  element.pairs = pairs.map(
    ({ name, original, result }): ComparePair => ({
      id: name,
      name,
      original: toSide(original),
      result: toSide(result),
    }),
  );
  document.querySelector('main')?.replaceChildren(element);
  Object.assign(window, { element });
}

Object.assign(window, { show });
