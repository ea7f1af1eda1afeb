import type { SettingsInput } from '#contract';
import { WIDTH } from './judge-cell.ts';
import type { Setting } from './table.ts';

/** Settings of an export, by column of the table. */
export const SETTINGS: Record<Setting, SettingsInput> = {
  formats: { formats: ['avif', 'webp', 'jpeg'] },
  sizes: { formats: ['avif', 'webp'], responsive: true, responsiveSizes: [WIDTH] },
  limits: { formats: ['avif', 'webp'], maxWidth: WIDTH },
  original: { format: 'original' },
  exact: { quality: 'exact' },
  embed: { embedMetadata: true },
  languages: { embedMetadata: true, language: 'de' },
  placeholder: { placeholder: true },
};

/** Settings of a service that every cell needs. */
export const SERVICE = { HEIC_INPUT: 'on', QUALITY_SEARCH: 'on' };
