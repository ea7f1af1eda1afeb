import { FORMATS } from '#contract/constants';
import { sourcesOf } from '../../server/processing/write-html.ts';
import type { MadeImage } from './image-store.ts';

/** A module without its head: the bundler declares `file0`, `file1`, … as the addresses of the files. */
export interface ImageModule {
  /** Absolute paths; the first one is `file0`. */
  files: string[];
  text: string;
  /** Warnings about the image for the log of the build. */
  notes: string[];
}

/** Writes the module of a finished image. */
export function writeImageModule({ format, files, placeholder, score }: MadeImage): ImageModule {
  const sources = sourcesOf(files, format);
  const image = sources.at(-1);
  if (!image) throw new Error('no file has the full size');
  const paths = sources.flatMap((source) => source.files.map(({ path }) => path));
  const setOf = ({ files: list }: typeof image) =>
    `\`${[...list]
      .sort((one, other) => other.width - one.width)
      .map(({ path, width }) => `\${file${paths.indexOf(path)}} ${width}w`)
      .join(', ')}\``;
  const others = sources
    .slice(0, -1)
    .map((source) => `{ type: '${FORMATS[source.format].mimeType}', srcset: ${setOf(source)} }`);
  const still = files.filter(({ lacks }) => lacks?.includes('animation'));
  const labels = [...new Set(still.map((file) => FORMATS[file.format].label))].join(' and ');
  const notes = labels ? [`${labels} cannot hold the animation and would show its first frame alone`] : [];
  return moduleOf(paths, notes, {
    src: `file${paths.indexOf(image.full.path)}`,
    ...{ width: image.full.width, height: image.full.height },
    ...{ srcset: setOf(image), sources: `[${others.join(', ')}]` },
    ...{ placeholder: JSON.stringify(placeholder), score },
  });
}

/** Writes the module of an original, for development. */
export function writeOriginalModule(source: string, size: { width: number; height: number }): ImageModule {
  const { width, height } = size;
  return moduleOf([source], [], {
    ...{ src: 'file0', width, height, srcset: "''", sources: '[]', placeholder: null, score: null },
  });
}

function moduleOf(
  files: string[],
  notes: string[],
  fields: Readonly<Record<string, string | number | null>>,
): ImageModule {
  const lines = Object.entries(fields).map(([name, expression]) => `  ${name}: ${expression},`);
  return { files, notes, text: `export default {\n${lines.join('\n')}\n};\n` };
}
