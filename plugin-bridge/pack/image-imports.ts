import { OUTPUT_FORMATS, PRESETS } from '#contract/constants';

/** Most formats of an import that has types. */
const MOST_FORMATS = 3;

/**
 * Declares imports of images. TypeScript knows patterns by one `*` alone, so that the end of an import has to be a known one: `imagewright`,
 * the formats or the preset.
 */
export function imageImports(): string {
  const ends = [
    ...['?imagewright', '&imagewright'],
    ...listsOf(OUTPUT_FORMATS, MOST_FORMATS).map((formats) => `&formats=${formats.join(';')}`),
    ...PRESETS.map((preset) => `&preset=${preset}`),
  ];
  const modules = ends.map(
    (end) => `declare module '*${end}' {
  const image: import('@imagewright/unplugin').OptimizedImage;
  export default image;
}
`,
  );
  return modules.join('');
}

/** Returns all lists of different values, of one up to `most`. */
function listsOf(values: readonly string[], most: number): string[][] {
  if (most === 0) return [];
  return values.flatMap((value) => [
    [value],
    ...listsOf(
      values.filter((other) => other !== value),
      most - 1,
    ).map((rest) => [value, ...rest]),
  ]);
}
