import type { SettingsInput } from '#contract';
import {
  MAX_EDGE,
  MAX_RESPONSIVE_SIZES,
  OUTPUT_FORMATS,
  type OutputFormat,
  PRESETS,
  RESPONSIVE_EDGE,
} from '#contract/constants';
import type { Options } from './options.ts';

/** Imports that the plugin answers: `?imagewright` or `&imagewright` anywhere in the query. */
export const QUERY = /[?&]imagewright(?=&|$)/;

const FORMATS: readonly OutputFormat[] = ['avif', 'webp'];

/**
 * Reads the settings of an import, e.g. `?imagewright&widths=480;960&formats=avif;webp`.
 * @param query after the path, with `?`
 * @throws Error that names the parameter, what was expected and what was received
 */
export function readQuery(query: string, { formats, widths, preset, maxWidth }: Options): SettingsInput {
  const asked = new URLSearchParams(query);
  for (const name of asked.keys()) {
    if (!['imagewright', 'formats', 'widths', 'preset', 'max-width'].includes(name)) {
      throw new Error(`expected formats, widths, preset or max-width, but received ${name}`);
    }
  }
  const list = (name: string) => asked.get(name)?.split(/[;,]/).filter(Boolean);
  const sizes = (list('widths') ?? widths ?? []).map((width) => pixels('widths', width, RESPONSIVE_EDGE));
  if (sizes.length > MAX_RESPONSIVE_SIZES) {
    throw new Error(`widths: expected at most ${MAX_RESPONSIVE_SIZES}, but received ${sizes.length}`);
  }
  const largest = asked.get('max-width') ?? maxWidth;
  return {
    formats: [...new Set(list('formats') ?? formats ?? FORMATS)].map((one) => choice('formats', one, OUTPUT_FORMATS)),
    preset: choice('preset', asked.get('preset') ?? preset ?? 'high', PRESETS),
    ...(sizes.length > 0 ? { responsive: true, responsiveSizes: [...new Set(sizes)] } : {}),
    ...(largest === undefined ? {} : { maxWidth: pixels('max-width', largest, MAX_EDGE) }),
    placeholder: true,
  };
}

function choice<Choice extends string>(name: string, value: string, choices: readonly Choice[]): Choice {
  const found = choices.find((one) => one === value);
  if (found !== undefined) return found;
  throw new Error(`${name}: expected ${choices.join(', ')}, but received ${value}`);
}

function pixels(name: string, value: string | number, { min, max }: { min: number; max: number }): number {
  const width = Number(value);
  if (Number.isInteger(width) && width >= min && width <= max) return width;
  throw new Error(`${name}: expected whole pixels from ${min} to ${max}, but received ${value}`);
}
