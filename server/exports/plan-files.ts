import { createHash } from 'node:crypto';
import { EMBEDDED_FIELDS, metadataLevel, pickFields, type Settings, settingsFor } from '#contract';
import { type EncodedFormat, encodedFormat, type InputFormat, type OutputFormat } from '#contract/constants';
import type { ImageRecord, JobImage } from '../db/index.ts';
import { extensionOf, planVariants } from '../processing/index.ts';
import type { NamedVariant } from './plan-names.ts';
import { candidatesOf } from './select-variants.ts';
import type { VariantOrder } from './variant-cache.ts';

/** A file that may be delivered: a variant in a format. */
export interface PlannedFile extends NamedVariant {
  format: EncodedFormat;
}

/** Returns the formats of the settings for an upload; `original` and the upload's own format are one. */
function formatsOf({ format, formats = [format] }: Settings, input: InputFormat): OutputFormat[] {
  const encoded = formats.map((one) => encodedFormat(one, input));
  return formats.filter((_, index) => encoded.indexOf(encoded[index] as EncodedFormat) === index);
}

/** Returns the main format of an image: the first one. */
export function mainFormat(settings: Settings, input: InputFormat): EncodedFormat {
  return encodedFormat(settings.formats?.[0] ?? settings.format, input);
}

/** Returns the orders of an image, one for each format: what its variants are made of, and which there are. */
export function orderVariants(image: ImageRecord, asked: JobImage, ordered: Settings): VariantOrder[] {
  const settings = settingsFor(ordered, image);
  const { writer } = asked;
  const embed = settings.embedMetadata ? { ...pickFields(asked, EMBEDDED_FIELDS), writer } : undefined;
  const { variants } = planSizes(image, asked, settings);
  return formatsOf(settings, image.format).map((format) => ({
    image,
    settings: { ...settings, format },
    ...(embed ? { embed } : {}),
    variants,
  }));
}

/** Plans the files that may be delivered, in the order of {@link orderVariants}, and lists the widths that are left out. */
export function planFiles(image: ImageRecord, asked: JobImage, settings: Settings) {
  const { variants, skippedSizes } = planSizes(image, asked, settings);
  const files = formatsOf(settings, image.format).flatMap((output) => {
    const format = encodedFormat(output, image.format);
    return variants.map(({ name }): PlannedFile => ({ name, format, extension: extensionOf(format) }));
  });
  return { files, skippedSizes };
}

function planSizes(image: ImageRecord, { focalPoint, replaces }: JobImage, settings: Settings) {
  const { variants, skippedSizes } = planVariants(image, focalPoint ? { ...settings, focalPoint } : settings);
  return { variants: candidatesOf(variants, replaces), skippedSizes };
}

/** Hashes what identifies a set of files: an export with equal settings replaces its earlier files, others do not. */
export function outputHash(asked: JobImage, settings: Settings): string {
  const { preset, responsive, responsiveSizes, embedMetadata, maxWidth, maxHeight, language } = settings;
  const level = metadataLevel(settings);
  // As `keepCopyright` was written, so that files of before versions are replaced.
  const kept = level === 'all-but-private' ? level : level === 'rights';
  const [first = settings.format, ...others] = settings.formats ?? [];
  const sizes = responsive ? (responsiveSizes ?? 'default') : null;
  const focalPoint = asked.focalPoint ?? settings.focalPoint;
  const cropped = Array.isArray(sizes) && sizes.some(({ fit }) => fit === 'cover');
  // Absent ones are left out: files of before versions keep their owner.
  const later = [
    ...(asked.replaces ? ['onlySmaller'] : []),
    ...(maxWidth || maxHeight ? [{ maxWidth, maxHeight }] : []),
    ...(focalPoint && cropped ? [{ focalPoint }] : []),
    ...(embedMetadata && language ? [{ language }] : []),
    ...(others.length > 0 ? [{ others }] : []),
  ];
  const canonical = JSON.stringify([first, preset, sizes, embedMetadata, kept, ...later]);
  return createHash('sha256').update(canonical).digest('hex').slice(0, 12);
}
