import type { CmsHost, HostImage, Replacement, ReplacementVariant, Uploaded } from '../cms-host.ts';
import type { RunProgress } from '../run-images.ts';
import { sha256 } from '../sha256.ts';

/** A file by its name, with extension and without folders. */
export interface NamedBytes {
  name: string;
  bytes: Uint8Array;
}

/** A CMS with images, made for one test. */
export interface World {
  /** Host as one page has it. */
  readonly host: CmsHost;
  /** Opens the same CMS anew: another tab, or the first page after a crash. */
  reopen(): Promise<CmsHost>;
  /** Returns the files that visitors may see, by address or path; backups and records left out. */
  files(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Writes over the file that visitors see of an image, as another program does. */
  overwrite(id: string, bytes: Uint8Array): Promise<void>;
  /**
   * Makes the given write of the CMS fail, counted from 1 and from now: `crash` also fails every later one until {@link World.reopen},
   * `full` is a full disk. Missing where it cannot be done; its tests are left out.
   */
  failAt?(write: number, how: 'crash' | 'full'): void | Promise<void>;
  close?(): Promise<void>;
}

/** A page of the CMS that is connected to a service. */
export interface ConnectedPage {
  run(ids: readonly string[]): Promise<RunProgress>;
  resume(): Promise<RunProgress | null>;
  /** Credits that were paid so far. */
  charged(): Promise<number>;
  /** Takes the service away, or gives it back. */
  setAway(isAway: boolean): void;
  /** Sets the balance. */
  setCredits(credits: number): Promise<void>;
}

/** Adapter of the host under test: starts its CMS, and offers images, results and a service to the tests. */
export interface HostKit {
  /** Makes a CMS with these images. */
  start(images: readonly NamedBytes[]): Promise<World>;
  /** Images of formats the CMS takes; at least four that differ. The bytes need not be large. */
  readonly images: readonly NamedBytes[];
  /** Makes the bytes of a result; default: any bytes, for hosts that do not look at them. */
  resultOf?(image: NamedBytes, name: string): Promise<Uint8Array>;
  /** Offers the bytes of a result at an address, for hosts with `downloads`. */
  offer?(variant: Pick<ReplacementVariant, 'filename'>, bytes: Uint8Array): Promise<string>;
  /**
   * Exports an image of the CMS that is under test, for a host whose server reads results from the service; the widths may be those of the
   * CMS. Missing: results are those of {@link HostKit.resultOf}.
   */
  export?(image: NamedBytes, options: ReplacementOptions): Promise<MadeReplacement>;
  /** Connects a host to a service by an element. Missing: tests that need a service are left out. */
  connect?(host: CmsHost, options: { credits: number; wrongKey?: boolean }): Promise<ConnectedPage>;
}

/** A test of a host. */
export interface ConformanceTest {
  name: string;
  /** `service`: only with {@link HostKit.connect}; `faults`: only with {@link World.failAt}. */
  needs: 'nothing' | 'faults' | 'service';
  /** @throws ConformanceError that says what was expected and received; any error of the host */
  run(): Promise<void>;
}

/** A test before it has a CMS of its own. */
export interface WorldTest {
  name: string;
  needs?: ConformanceTest['needs'];
  /** Number of images. @default all */
  images?: number;
  run(world: World, kit: HostKit): Promise<void>;
}

/** Fails a test. */
class ConformanceError extends Error {
  override readonly name = 'ConformanceError';
}

/** @throws ConformanceError with the message */
export function claim(isTrue: unknown, message: string): asserts isTrue {
  if (!isTrue) throw new ConformanceError(message);
}

/** Claims that a promise rejects with one of these codes. */
export async function claimRejects(work: Promise<unknown>, codes: readonly string[], what: string): Promise<void> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  claim(error !== null, `${what}: expected an error with the code ${codes.join(' or ')}, but nothing was wrong`);
  const { code, message } = error as { code?: string; message?: string };
  claim(
    codes.includes(code ?? ''),
    `${what}: expected the code ${codes.join(' or ')}, but received ${code}: ${message}`,
  );
}

/** Claims that two files are equal, byte for byte. */
export function claimSame(received: Uint8Array | undefined, expected: Uint8Array, what: string): void {
  claim(received, `${what}: there is no such file`);
  const isSame = received.length === expected.length && received.every((byte, at) => byte === expected[at]);
  claim(isSame, `${what}: expected ${expected.length} bytes as they were, but received ${received.length} others`);
}

/** Claims that the CMS shows these files and no others, byte for byte. */
export async function claimFiles(world: World, expected: ReadonlyMap<string, Uint8Array>, what: string): Promise<void> {
  const files = await world.files();
  const names = (map: ReadonlyMap<string, unknown>) => [...map.keys()].sort().join(', ');
  claim(names(files) === names(expected), `${what}: expected the files ${names(expected)}, but found ${names(files)}`);
  for (const [name, bytes] of expected) claimSame(files.get(name), bytes, `${what}: ${name}`);
}

/** Lists all images of a host. */
export async function listAll(host: CmsHost, query: { limit?: number } = {}): Promise<HostImage[]> {
  const images: HostImage[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await host.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    images.push(...page.images);
    claim(images.length <= 10_000, 'list: the pages never end');
    if (page.nextCursor === null) return images;
    cursor = page.nextCursor;
  }
}

/** Returns an image by its name. */
export async function imageNamed(host: CmsHost, name: string): Promise<HostImage> {
  const image = (await listAll(host)).find(({ filename }) => filename === name);
  claim(image, `list: ${name} is missing`);
  return image;
}

/** Returns the bytes of a blob. */
export const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

/** Properties of bytes as the service states them. */
export async function uploadedOf(bytes: Uint8Array): Promise<Uploaded> {
  const hash = await sha256(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  return { size: bytes.length, sha256: hash, width: 8, height: 6, format: 'jpeg' };
}

/** Options of {@link replacementOf}. */
export interface ReplacementOptions {
  /** Widths beside `full`. */
  widths?: readonly number[];
  /** Number of the replacement. Results of different rounds have different bytes. */
  round?: number;
  /** The last file cannot be downloaded. */
  damaged?: boolean;
  title?: string;
}

/** A replacement with the bytes of its full file. */
export type MadeReplacement = Replacement & { full: Uint8Array };

/** Makes the replacement of an image as {@link connectHost} does. */
export async function replacementOf(
  kit: HostKit,
  image: NamedBytes,
  options: ReplacementOptions = {},
): Promise<MadeReplacement> {
  if (kit.export) return kit.export(image, options);
  const { widths = [], round = 1, damaged = false, title } = options;
  const names = ['full', ...widths.map((width) => `${width}w`)];
  const stem = image.name.replace(/\.[^.]+$/, '');
  const contents = await Promise.all(
    names.map((name) =>
      kit.resultOf
        ? kit.resultOf(image, `${name}-${round}`)
        : new TextEncoder().encode(`result ${round} of ${image.name}, ${name}`),
    ),
  );
  const variants = await Promise.all(
    names.map(async (name, index): Promise<ReplacementVariant> => {
      const bytes = contents[index] as Uint8Array<ArrayBuffer>;
      const filename = name === 'full' ? `${stem}.webp` : `${stem}-${name}.webp`;
      const isLost = damaged && index === names.length - 1;
      const hash = await sha256(new Blob([isLost ? new Uint8Array([0]) : bytes]));
      return {
        name,
        width: name === 'full' ? 8 : Number.parseInt(name, 10),
        height: 6,
        filename,
        mime: 'image/webp',
        size: bytes.length,
        sha256: hash,
        url: (await kit.offer?.({ filename }, bytes)) ?? `/v1/none/${filename}`,
        blob: async () => {
          if (isLost) throw Object.assign(new Error('The download is damaged'), { code: 'damaged' });
          return new Blob([bytes], { type: 'image/webp' });
        },
      };
    }),
  );
  const metadata = title === undefined ? null : ({ title, alt: null, caption: null, tags: [] } as never);
  return {
    ...{ variants, metadata, settings: { format: 'webp', preset: 'high' } as never },
    ...{ original: await uploadedOf(image.bytes), sessionId: 'sess_0', imageId: 'img_0' },
    full: contents[0] as Uint8Array,
  };
}
