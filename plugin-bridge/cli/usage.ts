import { FORMATS, PRESETS } from './options.ts';

/** What `--help` prints. */
export const USAGE = `Optimize images with an Imagewright service.

  imagewright optimize 'photos/**/*.{jpg,png}' --format avif --preset high --out dist

Patterns are globs (in quotes), folders or files; '!pattern' leaves out. Below the output folder the results have the
folders that their sources have below the fixed part of the pattern.

  --out, -o FOLDER      where the results go, with a record of them in .imagewright.json
  --format NAME         ${FORMATS.join(', ')} (webp)
  --preset NAME         ${PRESETS.join(', ')} (high)
  --responsive          also smaller sizes: 480, 768, 1024, 1440 and 1920 pixels wide
  --sizes 480,960       also these widths instead
  --analyze             have the images described first; the texts are in --json
  --language TAG        the language of the texts, e.g. de
  --embed-metadata      write the texts into the files
  --keep-extension      a.jpg becomes a.jpg.avif, so that it can lie beside a.png.avif
  --force               make everything again, whatever the record says; costs credits
  --overwrite           write also over files that this program has not written, or that were edited since
  --dry-run             say what it would cost, and do nothing
  --json                one JSON document on standard output, and nothing else there
  --concurrency N       batches at the same time (2)
  --endpoint URL        the service; else IMAGEWRIGHT_ENDPOINT, else http://127.0.0.1:8080
  --api-key KEY         better in IMAGEWRIGHT_API_KEY, where no list of processes shows it
  --help, --version

Each image costs 1 credit, whatever its sizes. Unchanged images cost nothing the second time.
A file in the output folder that is not the program's own is not written over: then the run ends with 2 at once.
Exit codes: 0 done, 1 some images failed, 2 wrong usage or a file in the way, 3 not enough credits, 4 no service or no access,
5 something else, 130 interrupted (run it again to go on).
`;
