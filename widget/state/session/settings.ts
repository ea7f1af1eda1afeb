import {
  MAX_RESPONSIVE_SIZES,
  METADATA_LEVELS,
  type MetadataLevel,
  OUTPUT_FORMATS,
  PRESETS,
  RESPONSIVE_EDGE,
} from '#contract/constants';
import type { Settings, SizeInput } from '../types.ts';

/** Default settings of an export. */
export const DEFAULT_SETTINGS: Settings = { format: 'webp', preset: 'high', responsive: false };

/** Settings without a default. */
export const PASSED_ON = ['formats', 'maxWidth', 'maxHeight', 'focalPoint', 'placeholder', 'hdr', 'quality'] as const;

/** Returns kept settings as changes: one without a default that is missing has been taken away. */
export const asChanges = (kept: Settings): Partial<Settings> => ({
  ...Object.fromEntries(PASSED_ON.map((name) => [name, undefined])),
  ...kept,
});

/** A setting with an invalid value. */
export interface SettingProblem {
  name: string;
  value: unknown;
}

const isEdge = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= RESPONSIVE_EDGE.min && (value as number) <= RESPONSIVE_EDGE.max;

/** True if the service accepts the size. */
export function isSize(size: unknown): size is SizeInput {
  if (typeof size !== 'object' || size === null) return isEdge(size);
  const { width, height, fit } = size as { width?: unknown; height?: unknown; fit?: unknown };
  const fits = fit === undefined || fit === 'inside' || fit === 'cover';
  return isEdge(width) && (height === undefined || isEdge(height)) && fits;
}

/** Applies changes to settings. Invalid values become the default and are listed in `problems`. */
export function mergeSettings(
  present: Settings,
  changes: { readonly [Name in keyof Settings]?: unknown },
): { settings: Settings; problems: SettingProblem[] } {
  const problems: SettingProblem[] = [];
  const settings: { -readonly [Name in keyof Settings]: Settings[Name] } = { ...present };
  const refuse = (name: string, value: unknown) => problems.push({ name, value });

  function choose<Name extends 'format' | 'preset'>(name: Name, known: readonly Settings[Name][]) {
    const value = changes[name];
    if (value === undefined) return;
    const found = known.find((one) => one === value);
    if (!found) refuse(name, value);
    settings[name] = found ?? DEFAULT_SETTINGS[name];
  }
  choose('format', OUTPUT_FORMATS);
  choose('preset', PRESETS);
  for (const name of ['responsive', 'embedMetadata', 'keepCopyright', 'onlySmaller'] as const) {
    const value = changes[name];
    if (value === undefined) continue;
    if (typeof value === 'boolean') settings[name] = value;
    else refuse(name, value);
  }
  if ('language' in changes) {
    const value = changes.language;
    if (typeof value === 'string' && value) settings.language = value;
    else delete settings.language;
  }
  // Checked by the service.
  for (const name of PASSED_ON) if (name in changes) Object.assign(settings, { [name]: changes[name] });
  const { format, formats = [] } = settings;
  const main = OUTPUT_FORMATS.find((each) => each === formats[0]);
  if (main && 'formats' in changes) settings.format = main;
  else if (main && 'format' in changes) settings.formats = [format, ...formats.filter((each) => each !== format)];
  takeLevel(settings, changes, refuse);
  if ('responsiveSizes' in changes) {
    const value = changes.responsiveSizes;
    const sizes = Array.isArray(value) ? value : [];
    const good = sizes.filter(isSize).slice(0, MAX_RESPONSIVE_SIZES);
    if (value != null && (!Array.isArray(value) || good.length < sizes.length)) refuse('responsiveSizes', value);
    if (good.length > 0) settings.responsiveSizes = good;
    else delete settings.responsiveSizes;
  }
  return { settings, problems };
}

/** Takes over the level of metadata; it replaces its older form, and the older form replaces it. */
function takeLevel(
  settings: { -readonly [Name in keyof Settings]: Settings[Name] },
  { metadata, keepCopyright }: { readonly [Name in keyof Settings]?: unknown },
  refuse: (name: string, value: unknown) => void,
): void {
  if (metadata === undefined) {
    if (typeof keepCopyright === 'boolean') delete settings.metadata;
    return;
  }
  if (METADATA_LEVELS.includes(metadata as MetadataLevel)) {
    settings.metadata = metadata as MetadataLevel;
    delete settings.keepCopyright;
  } else refuse('metadata', metadata);
}

/** Tests whether some sizes are crops, which have a centre. */
export const hasCrops = ({ responsive, responsiveSizes = [] }: Settings): boolean =>
  responsive && responsiveSizes.some((size) => typeof size === 'object' && size.height && size.fit === 'cover');

/** Returns the level of metadata, also of its older form. */
export const levelOf = ({ metadata, keepCopyright }: Settings): MetadataLevel =>
  metadata ?? (keepCopyright === false ? 'none' : 'rights');

/** Returns the settings as requests carry them: sizes only if `responsive` is set. */
export function requestSettings({ responsiveSizes, ...settings }: Settings): Settings {
  return settings.responsive && responsiveSizes ? { ...settings, responsiveSizes } : settings;
}
