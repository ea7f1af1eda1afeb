import { extname } from 'node:path';
import type { Lack } from '#contract';
import { ENCODERS, type EncodedFormat, FORMATS, INPUT_FORMATS } from '#contract/constants';
import { sourcesOf, writePicture } from '../../server/processing/write-html.ts';
import type { StoredFile, StoredResult } from './manifest.ts';
import type { Source } from './name-outputs.ts';

/** The markup of an image, as the file of `--markup` holds it. */
export interface Markup {
  /** Address of the most compatible file of full size; null without one. */
  src: string | null;
  width: number | null;
  height: number | null;
  /** Files of the format of `src`, for `srcset`. */
  srcset: string;
  /** The other formats, the smallest files first. */
  sources: { type: string; srcset: string }[];
  /** ThumbHash, base64; null unless `--placeholder` was given. */
  placeholder: string | null;
  /** An `img`, or a `picture` of several formats. */
  html: string | null;
}

/** Returns the format of a file by its name; the extension itself for another one. */
export function formatOfName(name: string): string {
  const extension = extname(name).slice(1).toLowerCase();
  return INPUT_FORMATS.find((one) => (FORMATS[one].extensions as readonly string[]).includes(extension)) ?? extension;
}

/** Returns the markup of a result. @param baseUrl what stands before the names of the files, e.g. `/images/` */
export function markupOf(source: Source, result: StoredResult, baseUrl: string): Markup {
  const main = formatOfName(source.target);
  const variants = result.files.map((file) => ({ ...file, ...lacksOf(file, main, result), name: file.variant }));
  // Blanks and commas would end an address in `srcset`.
  const addressOf = (file: StoredFile) => baseUrl + source.nameOf(file).split('/').map(encodeURIComponent).join('/');
  const { metadata, placeholder } = result;
  const sources = sourcesOf(variants, main);
  const image = sources.at(-1);
  const setOf = (files: readonly StoredFile[]) => files.map((file) => `${addressOf(file)} ${file.width}w`).join(', ');
  return {
    src: image ? addressOf(image.full) : null,
    width: image?.full.width ?? null,
    height: image?.full.height ?? null,
    srcset: setOf(image?.files ?? []),
    sources: sources
      .slice(0, -1)
      .map(({ format, files }) => ({ type: FORMATS[format].mimeType, srcset: setOf(files) })),
    placeholder: placeholder ?? null,
    html: writePicture({ variants, format: main, metadata, placeholder }, addressOf),
  };
}

/** Returns what a file lacks. Records of earlier versions tell of an animation by the warning of the image alone. */
function lacksOf({ format, lacks }: StoredFile, main: string, { files, warnings }: StoredResult): { lacks?: Lack[] } {
  if (lacks) return { lacks };
  const isOld = files.every((file) => !file.lacks) && warnings.some(({ code }) => code === 'animation_dropped');
  return isOld && !ENCODERS[(format ?? main) as EncodedFormat]?.animated ? { lacks: ['animation'] } : {};
}

/** Formats the file of `--markup`: a page of snippets for `.html`, else JSON by source. */
export function writeMarkup(file: string, images: ReadonlyMap<string, Markup>): string {
  if (!/\.html?$/i.test(file)) return `${JSON.stringify(Object.fromEntries(images), null, 2)}\n`;
  return [...images].map(([source, { html }]) => `<!-- ${source.replace(/--+/g, '-')} -->\n${html ?? ''}\n`).join('\n');
}
