import { OUTPUT_FORMATS, PRESETS } from '#contract/constants';

/** Most formats of an import that has types. */
const MOST_FORMATS = 3;

/**
 * Returns the ends of the imports that `client.d.ts` declares. TypeScript knows patterns by one `*` alone, so that the end of an import has to
 * be a known one: `imagewright`, the formats or the preset.
 */
export function typedEnds(): string[] {
  return [
    ...['?imagewright', '&imagewright'],
    ...listsOf(OUTPUT_FORMATS, MOST_FORMATS).map((formats) => `&formats=${formats.join(';')}`),
    ...PRESETS.map((preset) => `&preset=${preset}`),
  ];
}

/** Returns how to end an import of TypeScript whose type is not known there; undefined if it is known, or if no TypeScript imports it. */
export function adviceOnTypes(source: string, importer: string | undefined): string | undefined {
  if (!/\.(c|m)?tsx?$/.test(importer ?? '')) return undefined;
  const ends = typedEnds();
  // The ends of TypeScript are case-sensitive and know no other separator.
  if (ends.some((end) => source.endsWith(end))) return undefined;
  return `TypeScript does not know the type of '${source}' (TS2307): let it end with &imagewright, the formats or the preset, such as '${reordered(source)}'`;
}

/** Moves the mark behind all other parameters. */
function reordered(source: string): string {
  const at = source.indexOf('?');
  const others = source
    .slice(at + 1)
    .split('&')
    .filter((one) => one !== 'imagewright');
  return `${source.slice(0, at)}?${[...others, 'imagewright'].join('&')}`;
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
