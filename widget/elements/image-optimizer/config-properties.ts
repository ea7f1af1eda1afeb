import type { ComplexAttributeConverter } from 'lit';
import { DEFAULT_CONFIG, DEFAULT_SETTINGS, NO_LIMITS, type Restrictions } from '../../state/index.ts';

/** Converts attributes whose default is true, e.g. `auto-upload="false"`. */
export const TRUE_BY_DEFAULT: ComplexAttributeConverter<boolean> = {
  fromAttribute: (value) => value !== 'false',
};

/** Converts limits. Null, no limit, unless the attribute is a number above zero. */
export const LIMIT_OR_NULL: ComplexAttributeConverter<number | null> = {
  fromAttribute: (value) => (Number(value) > 0 ? Number(value) : null),
};

/** Names of the properties that configure the flow. */
export const CONFIG_NAMES = Object.keys(DEFAULT_CONFIG) as (keyof typeof DEFAULT_CONFIG)[];

/** Names of the properties that restrict which files can be added. */
export const LIMIT_NAMES = Object.keys(NO_LIMITS) as (keyof Restrictions)[];

/** Names of the properties that are settings of an export. */
export const SETTING_NAMES = ['format', 'preset', 'responsive', 'responsiveSizes'] as const;

/** Values of the properties that a page does not set. */
export const DEFAULTS = {
  ...DEFAULT_CONFIG,
  ...NO_LIMITS,
  ...DEFAULT_SETTINGS,
  sessionId: null,
  mode: 'download',
  locale: null,
  strings: {},
  noDrop: false,
  noPaste: false,
  noFolder: false,
  noSample: false,
  noAnalyze: false,
  noDownload: false,
  compact: false,
  disabled: false,
  readonly: false,
};

/** Copies some properties of an object. */
export function pick<From extends object, Name extends keyof From>(
  from: From,
  names: readonly Name[],
): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;
}
