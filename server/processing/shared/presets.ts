import type { EncodedFormat, Preset } from '#contract/constants';

/**
 * Version of everything in this module that determines the bytes of an output for given pixels and settings. Part of the cache
 * key: raise it with every change to the tables, an encoder option or a step of the pipeline.
 */
export const QUALITY_VERSION = 15;

/** Encoder settings of one preset in one format; `colours` is the palette's size. */
export type EncoderSettings =
  | { format: 'webp'; quality: number; effort: number; smartSubsample: boolean; lossless: boolean }
  | { format: 'avif'; quality: number; effort: number; chromaSubsampling: '4:4:4' | '4:2:0' }
  | { format: 'jpeg'; quality: number; chromaSubsampling: '4:4:4' | '4:2:0' }
  | {
      format: 'png';
      colours: number | null;
      compressionLevel: number;
      adaptiveFiltering: boolean;
      effort: number;
      /** Keeps every pixel exactly; otherwise colours come from a reduced palette. */
      exact: boolean;
    }
  | { format: 'gif'; colours: number; effort: number }
  | { format: 'tiff' };

interface PresetRow {
  webp: { quality: number; smartSubsample: boolean };
  avif: number;
  jpeg: { quality: number; chromaSubsampling: '4:4:4' | '4:2:0' };
  /** Colours of the palette, or null: every pixel exact. */
  png: number | null;
  gif: number;
}

// Equal visual quality across formats (SSIMULACRA2 reached by nine of ten test images: 87, 82, 76, 70, 60, 45).
const TABLE: Record<Preset, PresetRow> = {
  maximum: {
    webp: { quality: 96, smartSubsample: true },
    avif: 88,
    jpeg: { quality: 94, chromaSubsampling: '4:4:4' },
    png: null,
    gif: 256,
  },
  very_high: {
    webp: { quality: 92, smartSubsample: false },
    avif: 76,
    jpeg: { quality: 88, chromaSubsampling: '4:4:4' },
    png: null,
    gif: 256,
  },
  high: {
    webp: { quality: 85, smartSubsample: false },
    avif: 65,
    jpeg: { quality: 84, chromaSubsampling: '4:2:0' },
    png: null,
    gif: 256,
  },
  medium: {
    webp: { quality: 79, smartSubsample: false },
    avif: 58,
    jpeg: { quality: 75, chromaSubsampling: '4:2:0' },
    png: 256,
    gif: 256,
  },
  low: {
    webp: { quality: 63, smartSubsample: false },
    avif: 49,
    jpeg: { quality: 60, chromaSubsampling: '4:2:0' },
    png: 128,
    gif: 128,
  },
  minimum: {
    webp: { quality: 41, smartSubsample: false },
    avif: 40,
    jpeg: { quality: 40, chromaSubsampling: '4:2:0' },
    png: 64,
    gif: 64,
  },
};

// Size against time: AVIF 4 (the library's default) takes nine times as long as 2 for 10 % fewer bytes.
const WEBP_EFFORT = 4;
// Responsive widths are most of a job's encodings. Measured over 30 widths of 6 photographs at `high`: 46 % of the time of effort 4,
// 1.7 % more bytes, 0.3 dB less (PSNR; one step of the encoder's scale), which is invisible. `maximum` does not use it.
const WEBP_RESIZED_EFFORT = 2;
// Time per pixel of the full size relative to that of its widths, which have less effort but are resized: 1.3 to 2.0 in 6 photographs.
const WEBP_FULL_SIZE_COST = 1.4;
const AVIF_EFFORT = 2;
const GIF_EFFORT = 4;

/** Encoder settings of a preset in a format; PNG's is the palette alone, its other settings depend on the pixels. */
export type PresetSettings = Exclude<EncoderSettings, { format: 'png' }> | { format: 'png'; colours: number | null };

/**
 * Returns the encoder settings of a preset in a format. TIFF is always lossless.
 * @param resized true for a smaller version of the image. @default false
 */
export function presetSettings(format: EncodedFormat, preset: Preset, resized = false): PresetSettings {
  const row = TABLE[preset];
  switch (format) {
    case 'webp':
      return {
        format,
        effort: resized && preset !== 'maximum' ? WEBP_RESIZED_EFFORT : WEBP_EFFORT,
        lossless: false,
        ...row.webp,
      };
    case 'avif':
      return { format, quality: row.avif, effort: AVIF_EFFORT, chromaSubsampling: '4:4:4' };
    case 'jpeg':
      return { format, ...row.jpeg };
    case 'png':
      return { format, colours: row.png };
    case 'gif':
      return { format, colours: row.gif, effort: GIF_EFFORT };
    case 'tiff':
      return { format };
  }
}

/** Returns the encoding time per pixel of the full size in a format, relative to that of a resized version. */
export function fullSizeCost(format: EncodedFormat, preset: Preset): number {
  return format === 'webp' && preset !== 'maximum' ? WEBP_FULL_SIZE_COST : 1;
}
