import { type Lack, type Warning, type WarningCode, warning } from '#contract';
import { FORMATS, type ImageFormat } from '#contract/constants';

/** Warnings of a file that tell what of the image it does not show. */
const LACKS: readonly (readonly [WarningCode, Lack])[] = [
  ['animation_dropped', 'animation'],
  ['alpha_flattened', 'transparency'],
];

/** A file with its warnings. */
interface WarnedFile {
  format: ImageFormat;
  warnings: readonly Warning[];
}

/** Returns what of the image a file does not show, as a field of its variant; empty if it shows all. */
export function lacksOf({ warnings }: Pick<WarnedFile, 'warnings'>): { lacks?: Lack[] } {
  const lacks = LACKS.flatMap(([code, lack]) => (warnings.some((one) => one.code === code) ? [lack] : []));
  return lacks.length > 0 ? { lacks } : {};
}

/** Collects the warnings of the files of an image, each once. The lack of an animation names the formats. */
export function mergeWarnings(before: readonly Warning[], files: readonly WarnedFile[]): Warning[] {
  const still = files.filter((file) => lacksOf(file).lacks?.includes('animation'));
  const formats = [...new Set(still.map(({ format }) => FORMATS[format].label))].join(', ');
  const all = [...before, ...files.flatMap(({ warnings }) => warnings)].map((one) =>
    one.code === 'animation_dropped' && formats ? warning(one.code, formats) : one,
  );
  return [...new Map(all.map((one) => [one.code, one])).values()];
}
