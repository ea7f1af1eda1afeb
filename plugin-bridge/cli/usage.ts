import { DEFAULT_RESPONSIVE_WIDTHS, OUTPUT_FORMATS, PRESETS } from '#contract/constants';

/** Text of `--help`. */
export const USAGE = `Optimize images with an Imagewright service.

  imagewright optimize 'photos/**/*.{jpg,png}' --format avif --preset high --out dist

Patterns are globs (in quotes), folders or files; '!pattern' excludes files. Results keep the folders their sources have
below the fixed part of the pattern.

  --out, -o FOLDER      folder for the results and their record, .imagewright.json
  --format NAME         ${OUTPUT_FORMATS.join(', ')} (webp)
  --preset NAME         ${PRESETS.join(', ')} (high)
  --responsive          also smaller sizes: ${DEFAULT_RESPONSIVE_WIDTHS.join(', ')} pixels wide
  --sizes 480,960       also these widths
  --analyze             describe the images first; the texts are in --json
  --language TAG        language of the texts, e.g. de
  --only-smaller        no result of full size that is not smaller; an image without results is free
  --embed-metadata      write the texts into the files
  --keep-extension      write a.jpg to a.jpg.avif, so that it can lie beside a.png.avif
  --force               make all images again; costs credits
  --overwrite           overwrite files that this program has not written, or that were edited since
  --dry-run             print the cost and change nothing
  --json                print one JSON document on standard output, and nothing else
  --concurrency N       batches at once (2)
  --endpoint URL        address of the service; default IMAGEWRIGHT_ENDPOINT, else http://127.0.0.1:8080
  --api-key KEY         API key; IMAGEWRIGHT_API_KEY keeps it out of process lists
  --help, --version

Each image costs 1 credit, with all its sizes. Unchanged images cost nothing the second time.
A run that would overwrite a file this program has not written ends with 2 at once.
Exit codes: 0 done, 1 some images failed, 2 wrong usage or a file in the way, 3 not enough credits, 4 no service or no access,
5 another error, 130 interrupted (run it again to resume).
`;
