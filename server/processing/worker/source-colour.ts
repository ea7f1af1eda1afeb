import type { Metadata } from 'sharp';
import type { WarningCode } from '#contract';
import type { InputFormat } from '#contract/constants';
import type { ColourSignal } from './colour/colour-signal.ts';
import { readHeifColour } from './colour/heif-colour.ts';
import { hdrOfProfile, signalOfProfile } from './colour/icc-signal.ts';
import { readPngColour } from './colour/png-colour.ts';
import { isSrgbProfile } from './icc-profile.ts';

/** Source of a file's colours. */
export interface SourceColour {
  /** Converted without the library, with all bits of the file; null: by the library. */
  signal: ColourSignal | null;
  /** True if the embedded profile does not count, or is part of the signal. */
  ignoresProfile: boolean;
  /** True if the library has to reduce 16 bits before it converts by the profile: of more bits it makes Display P3. */
  reducesFirst: boolean;
  /** True if the colours are multiplied by alpha. */
  premultiplied: boolean;
  warnings: WarningCode[];
}

const BY_LIBRARY: SourceColour = {
  signal: null,
  ignoresProfile: false,
  reducesFirst: false,
  premultiplied: false,
  warnings: [],
};

/** Decides how the colours of a file are read. The library knows embedded profiles of 8 bits alone. */
export function readSourceColour(input: string | Buffer, format: InputFormat, header: Metadata): SourceColour {
  if (header.space === 'cmyk') return { ...BY_LIBRARY, warnings: ['cmyk_converted'] };
  if (format === 'png') {
    const { signal, ignoresProfile } = readPngColour(input);
    if (signal) return bySignal(signal);
    if (ignoresProfile) return { ...BY_LIBRARY, ignoresProfile };
  }
  const heif = format === 'avif' || format === 'heic' ? readHeifColour(input) : null;
  const premultiplied = (heif?.premultiplied ?? false) && header.hasAlpha === true;
  if (header.icc) return byProfile(header, header.icc, premultiplied);
  return heif?.signal ? { ...bySignal(heif.signal), premultiplied } : { ...BY_LIBRARY, premultiplied };
}

function bySignal(signal: ColourSignal): SourceColour {
  return {
    ...{ signal, ignoresProfile: true, reducesFirst: false, premultiplied: false },
    warnings: [signal.hdr ? 'hdr_dropped' : 'colour_converted'],
  };
}

function byProfile(header: Metadata, icc: Buffer, premultiplied: boolean): SourceColour {
  const hdr = hdrOfProfile(icc);
  if (hdr) return { ...bySignal(hdr), premultiplied };
  const warnings: WarningCode[] = isSrgbProfile(icc) ? [] : ['colour_converted'];
  const isDeep = header.depth === 'ushort';
  if (!isDeep && !premultiplied) return { ...BY_LIBRARY, warnings };
  const signal = signalOfProfile(icc);
  const isGrey = header.space === 'grey16' || header.space === 'b-w';
  if (signal && (signal.curves.length === 1) === isGrey) return { ...bySignal(signal), premultiplied, warnings };
  return { ...BY_LIBRARY, reducesFirst: isDeep, premultiplied, warnings };
}
