import type { Sharp } from 'sharp';
import { openPixels, type Pixels } from '../pixels.ts';
import type { EncoderSettings } from '../presets.ts';

/** What is written into an output beside its pixels. */
export interface OutputMetadata {
  artist?: string | undefined;
  copyright?: string | undefined;
  xmp?: string | null | undefined;
}

/** An encoded variant; `quality` is the encoder's number, for a reduced PNG or GIF the colours of its palette. */
export interface EncodedImage {
  data: Buffer;
  quality: number | 'lossless';
}

/** Encodes pixels with one set of settings. Transparency becomes white in JPEG. */
export async function encodePixels(
  pixels: Pixels,
  settings: EncoderSettings,
  metadata: OutputMetadata,
): Promise<EncodedImage> {
  const image = openPixels(pixels);
  applyMetadata(image, metadata);
  const quality = applyFormat(image, pixels, settings);
  return { data: await image.toBuffer(), quality };
}

function applyFormat(image: Sharp, pixels: Pixels, settings: EncoderSettings): number | 'lossless' {
  const animation = {
    ...(pixels.delay ? { delay: pixels.delay } : {}),
    ...(pixels.loop === undefined ? {} : { loop: pixels.loop }),
  };
  switch (settings.format) {
    case 'webp': {
      const { quality, effort, smartSubsample, lossless } = settings;
      image.webp({ quality, effort, smartSubsample, lossless, ...animation });
      return lossless ? 'lossless' : quality;
    }
    case 'avif':
      image.avif({ quality: settings.quality, effort: settings.effort, chromaSubsampling: settings.chromaSubsampling });
      return settings.quality;
    case 'jpeg':
      image.flatten({ background: '#ffffff' });
      image.jpeg({ quality: settings.quality, chromaSubsampling: settings.chromaSubsampling, mozjpeg: true });
      return settings.quality;
    case 'png':
      if (settings.colours === null) image.png({ compressionLevel: 9 });
      else image.png({ palette: true, colours: settings.colours, compressionLevel: 9 });
      return settings.colours ?? 'lossless';
    case 'gif':
      image.gif({ colours: settings.colours, ...animation });
      return settings.colours;
    case 'tiff':
      image.tiff({ compression: 'deflate', predictor: 'horizontal' });
      return 'lossless';
  }
}

function applyMetadata(image: Sharp, { artist, copyright, xmp }: OutputMetadata): void {
  if (artist || copyright) {
    image.withExif({ IFD0: { ...(artist ? { Artist: artist } : {}), ...(copyright ? { Copyright: copyright } : {}) } });
  }
  if (xmp) image.withXmp(xmp);
}
