import type { ComplexAttributeConverter } from 'lit';
import { DEFAULT_CONFIG, NO_LIMITS, type Restrictions } from '../../state/index.ts';

/** `auto-upload="false"` must be possible: the attribute's absence is the default, which is true. */
export const TRUE_BY_DEFAULT: ComplexAttributeConverter<boolean> = {
  fromAttribute: (value) => value !== 'false',
};

/** Null, no limit, for what is no number above zero, as for an attribute that is not there. */
export const LIMIT_OR_NULL: ComplexAttributeConverter<number | null> = {
  fromAttribute: (value) => (Number(value) > 0 ? Number(value) : null),
};

/** Properties that the flow is configured by. */
export const CONFIG_NAMES = Object.keys(DEFAULT_CONFIG) as (keyof typeof DEFAULT_CONFIG)[];

/** Properties that say what may be added. */
export const LIMIT_NAMES = Object.keys(NO_LIMITS) as (keyof Restrictions)[];

/** Properties that are settings of an export. */
export const SETTING_NAMES = ['format', 'preset', 'responsive', 'responsiveSizes'] as const;

/** Some of an object's properties. */
export function pick<From extends object, Name extends keyof From>(
  from: From,
  names: readonly Name[],
): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;
}
