import { DEFAULT_RESPONSIVE_WIDTHS, OUTPUT_FORMATS, PRESETS } from '#contract/constants';

/** Text of `--help`. */
export const USAGE = `Optimize images on this machine, or with an Imagewright service.

  imagewright optimize 'photos/**/*.{jpg,png}' --local --format avif,webp --out dist

Patterns are globs (in quotes), folders or files; '!pattern' excludes files, and what follows -- is no option. Results keep the folders their sources have
below the fixed part of the pattern. Options may stand in imagewright.config.json or .mjs: { "patterns": [], "maxWidth": 1600 }.

  --out, -o FOLDER      folder for the results
  --local               make the images here: no service, key or credits; the default without an address and a key
  --format NAME,NAME    ${OUTPUT_FORMATS.join(', ')} (webp)
  --preset NAME         ${PRESETS.join(', ')} (high)
  --exact               reach the preset's score whatever its last points cost
  --responsive          also smaller sizes: ${DEFAULT_RESPONSIVE_WIDTHS.join(', ')} pixels wide
  --sizes 480,960       also these widths
  --max-width N         scale wider images down to this width
  --only-smaller        no result of full size that is not smaller; an image without results is free
  --hashed-names        a.3f2a91bc.avif: names that change with the content, for caches without end
  --keep-extension      write a.jpg to a.jpg.avif, so that it can lie beside a.png.avif
  --placeholder         a ThumbHash of each image, in --markup and --json
  --markup FILE         write the <picture> of each image, as .html or .json
  --base-url ADDRESS    what stands before the names in the markup, e.g. /images/
  --prune               remove results that no image of this run gives
  --check               make nothing; end with 1 if an image is not optimized
  --analyze             describe the images first; the texts are in --json
  --language TAG        language of the texts, e.g. de
  --embed-metadata      write the texts into the files
  --force               make all images again; with a service this costs credits
  --overwrite           overwrite files that this program has not written, or that were edited since
  --dry-run             print the cost and change nothing
  --json                print one JSON document on standard output, and nothing else
  --concurrency N       batches at once (2); with --local, processes (one a core)
  --config FILE         configuration file; default: the nearest one in the current folder or project
  --record FILE         record of what was made; default: .imagewright/ in the project of the output folder
  --endpoint URL        address of the service; default IMAGEWRIGHT_ENDPOINT, else http://127.0.0.1:8080
  --api-key KEY         API key; IMAGEWRIGHT_API_KEY keeps it out of process lists
  --help, --version

With a service each image costs 1 credit, with all its sizes and formats. Unchanged images cost nothing the second time.
A run that would overwrite a file this program has not written ends with 2 at once.
Exit codes: 0 done, 1 some images failed or are not optimized, 2 wrong usage or a file in the way, 3 not enough credits,
4 no service or no access, 5 another error, 130 interrupted (run it again to resume).
`;
