import type { OutputFormat, Preset } from '#contract';
import type { Settings, SizeInput } from '../types.ts';

/** Output formats, as the select shows them. */
export const FORMATS = ['webp', 'avif', 'jpeg', 'png', 'original'] as const satisfies OutputFormat[];
/** Presets from lossless to small. */
export const PRESETS = ['maximum', 'very_high', 'high', 'medium', 'low', 'minimum'] as const satisfies Preset[];
/** Smallest and largest edge of a responsive size, in pixels. */
export const SIZE_RANGE = { min: 16, max: 8192 } as const;
/** Most responsive sizes. */
export const MAX_SIZES = 10;

/** Default settings of an export. */
export const DEFAULT_SETTINGS: Settings = { format: 'webp', preset: 'high', responsive: false };

/** A setting that was not understood. */
export interface SettingProblem {
  name: string;
  value: unknown;
}

const isEdge = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= SIZE_RANGE.min && (value as number) <= SIZE_RANGE.max;

/** True for a breakpoint that the service takes. */
export function isSize(size: unknown): size is SizeInput {
  if (typeof size !== 'object' || size === null) return isEdge(size);
  const { width, height, fit } = size as { width?: unknown; height?: unknown; fit?: unknown };
  const fits = fit === undefined || fit === 'inside' || fit === 'cover';
  return isEdge(width) && (height === undefined || isEdge(height)) && fits;
}

/** Joins changes with the present settings. What is not understood becomes the default and is listed. */
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
  choose('format', FORMATS);
  choose('preset', PRESETS);
  for (const name of ['responsive', 'embedMetadata', 'keepCopyright'] as const) {
    const value = changes[name];
    if (value === undefined) continue;
    if (typeof value === 'boolean') settings[name] = value;
    else refuse(name, value);
  }
  if ('responsiveSizes' in changes) {
    const value = changes.responsiveSizes;
    const sizes = Array.isArray(value) ? value : [];
    const good = sizes.filter(isSize).slice(0, MAX_SIZES);
    if (value != null && (!Array.isArray(value) || good.length < sizes.length)) refuse('responsiveSizes', value);
    if (good.length > 0) settings.responsiveSizes = good;
    else delete settings.responsiveSizes;
  }
  return { settings, problems };
}

/** The body of a request; sizes only where they are used. */
export function requestSettings({ responsiveSizes, ...settings }: Settings): Settings {
  return settings.responsive && responsiveSizes ? { ...settings, responsiveSizes } : settings;
}
