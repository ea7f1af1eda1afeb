import sharp, { type Sharp } from 'sharp';

/** Decoded pixels: 8 bits a channel, sRGB or grey, upright. Frames of an animation are stacked vertically. */
export interface Pixels {
  data: Buffer;
  width: number;
  /** Height of one frame. */
  height: number;
  channels: 1 | 3 | 4;
  frames: number;
  /** Milliseconds a frame; only for animations. */
  delay?: number[];
  /** 0: endless. */
  loop?: number;
}

/** Opens decoded pixels as an image of the library. */
export function openPixels(pixels: Pixels): Sharp {
  const { data, width, height, channels, frames } = pixels;
  const raw = { width, height: height * frames, channels, ...(frames > 1 ? { pageHeight: height } : {}) };
  const image = sharp(data, { raw, limitInputPixels: false, pages: frames > 1 ? -1 : 1 });
  // Otherwise one grey channel becomes three.
  return channels === 1 ? image.toColourspace('b-w') : image;
}

/** Returns the first frame of an animation. */
export function firstFrame({ data, width, height, channels }: Pixels): Pixels {
  return { data: data.subarray(0, width * height * channels), width, height, channels, frames: 1 };
}
