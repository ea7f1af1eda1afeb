import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Lack, Metadata, Quality, Warning } from '#contract';
import { type EncodedFormat, IDEMPOTENCY_HOURS } from '#contract/constants';
import { CliError, EXIT } from './exit-codes.ts';
import { hashBytes, writeAtomically } from './files-on-disk.ts';
import { findSizes } from './find-sizes.ts';
import { nameFile } from './name-files.ts';
import type { Source } from './name-outputs.ts';
import type { ExportSettings, Options } from './options.ts';
import { printable } from './printable.ts';

/** A file of a result at the service. */
export interface StoredFile {
  /** `full`, or `<width>w`. */
  variant: string;
  /** With several formats. */
  format?: EncodedFormat;
  /** Name at the service. */
  filename: string;
  /** Parameter of its address, which names its bytes. Missing in records of earlier versions. */
  address?: string;
  sha256: string;
  /** Bytes. */
  size: number;
  width: number;
  height: number;
  /** Missing in records of earlier versions. */
  quality?: Quality;
  /** Parts of the image that the file does not show; missing if none. */
  lacks?: Lack[];
}

/** Result of one content and one set of settings. */
export interface StoredResult {
  /** Address of the service, or {@link LOCAL}. */
  endpoint: string;
  sessionId: string;
  /** ISO 8601. */
  exportedAt: string;
  /** Size of the source in bytes. */
  originalBytes: number;
  files: StoredFile[];
  warnings: Warning[];
  metadata: Metadata | null;
  /** ThumbHash, base64; with the setting `placeholder`. */
  placeholder?: string;
}

/** An export that may be paid for but whose results are not recorded yet. */
export interface PendingBatch {
  endpoint: string;
  sessionId: string;
  startedAt: string;
  images: { id: string; key: string; size: number }[];
  settings: ExportSettings;
  analyze: { language?: string; idempotencyKey: string } | null;
  /** Key of the export: the same key joins the same job. */
  idempotencyKey: string;
}

interface Content {
  version: 1;
  /** Output folder, from that of the record. Older records lie in it. */
  out?: string;
  /** Results by content and settings, see {@link keyOf}. */
  results: Record<string, StoredResult>;
  /** Keys of results, by name of the `full` file below the output folder. */
  targets: Record<string, string>;
  /** SHA-256 of every file ever written, by name below the output folder. Older records lack it. */
  written: Record<string, string>;
  pending: PendingBatch[];
}

/** Name of the record that earlier versions kept in the output folder. */
const OLDER_NAME = '.imagewright.json';
/** Stands for the address of a service where the engine of this program has made a result. */
export const LOCAL = 'local';
/** Time the service keeps idempotency keys, and this record keeps paid results without a file, in ms. */
const REMEMBERED_MS = IDEMPOTENCY_HOURS * 3_600_000;

/** Returns the key of a result: the source's SHA-256 and a hash of everything that was asked for. */
export function keyOf(sha256: string, { settings, analyze }: Pick<Options, 'settings' | 'analyze'>): string {
  const { format, preset, responsive, responsiveSizes = null, embedMetadata, onlySmaller, ...later } = settings;
  const orderParts = [format, preset, responsive, responsiveSizes, embedMetadata, analyze && (analyze.language ?? '')];
  // Without the option, keys are as in records of earlier versions.
  if (onlySmaller) orderParts.push('onlySmaller');
  if (Object.keys(later).length > 0) orderParts.push(JSON.stringify(later));
  return `${sha256}-${hashBytes(JSON.stringify(orderParts)).slice(0, 16)}`;
}

/**
 * Opens the record of an output folder; an empty one if there is none. One that an earlier version left in the folder is taken over
 * when it is saved.
 * @param path of the record
 * @param requireHeld throws if this run may not save it any longer
 * @throws CliError 2 if it cannot be read: starting without it would pay for every image again
 */
export async function openManifest(path: string, out: string, requireHeld = async () => {}) {
  const older = join(out, OLDER_NAME);
  const content = (await read(path, out)) ?? (path === older ? undefined : await read(older, out)) ?? empty();
  content.out = relative(dirname(path), out);
  let saving = Promise.resolve();

  function forgetUnused(): void {
    const used = new Set(Object.values(content.targets));
    const young = (time: string) => Date.now() - Date.parse(time) < REMEMBERED_MS;
    content.pending = content.pending.filter(({ startedAt }) => young(startedAt));
    for (const [key, { exportedAt }] of Object.entries(content.results)) {
      if (!used.has(key) && !young(exportedAt)) delete content.results[key];
    }
  }

  return {
    ...content,
    content,

    /** Returns the batches whose outcome this service can still return. */
    pendingAt(endpoint: string): PendingBatch[] {
      forgetUnused();
      return content.pending.filter((batch) => batch.endpoint === endpoint);
    },

    begin: (batch: PendingBatch) => void content.pending.push(batch),

    end(batch: PendingBatch): void {
      content.pending = content.pending.filter((one) => one !== batch);
    },

    /** Records a written file, by its name below the output folder. */
    recordFile(name: string, sha256: string): void {
      content.written[name] = sha256;
    },

    /** Records that all files of a result are at its target. */
    recordTarget(source: Pick<Source, 'target' | 'nameOf'>, key: string): void {
      content.targets[source.target] = key;
      for (const file of content.results[key]?.files ?? []) content.written[source.nameOf(file)] = file.sha256;
    },

    /** Forgets a file that was removed. */
    forgetFile: (name: string) => void delete content.written[name],

    /** Forgets the results of all other targets. */
    keepTargets(targets: ReadonlySet<string>): void {
      for (const target of Object.keys(content.targets)) if (!targets.has(target)) delete content.targets[target];
    },

    /** Saves the record. Concurrent calls run one after the other. */
    save(): Promise<void> {
      saving = saving.then(async () => {
        forgetUnused();
        await requireHeld();
        await writeAtomically(path, `${JSON.stringify(content, null, 1)}\n`);
        if (path !== older) await rm(older, { force: true });
      });
      return saving;
    },
  };
}

/** The record of an output folder. */
export type Manifest = Awaited<ReturnType<typeof openManifest>>;

/**
 * Returns the absolute paths of all files that runs into any folder have written, by the records in some folders and those that earlier
 * versions left in folders of images. Records that cannot be read are left out.
 */
export async function earlierResults(recordFolders: readonly string[], imageFolders: readonly string[]) {
  const found = new Set<string>();
  const names = async (folder: string) =>
    (await readdir(folder).catch(() => [])).filter((name) => /\.json$/.test(name));
  const places = [
    ...(await Promise.all(
      [...new Set(recordFolders)].map(async (folder) => (await names(folder)).map((name) => join(folder, name))),
    )),
    imageFolders.map((folder) => join(folder, OLDER_NAME)),
  ].flat();
  for (const path of places) {
    const content = await read(path, dirname(path)).catch(() => undefined);
    const out = resolve(dirname(path), content?.out ?? '.');
    for (const name of Object.keys(content?.written ?? {})) found.add(join(out, name));
  }
  return found;
}

function empty(): Content {
  return { version: 1, results: {}, targets: {}, written: {}, pending: [] };
}

async function read(path: string, out: string): Promise<Content | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const content = JSON.parse(text) as Omit<Content, 'written'> & Partial<Content>;
    if (content.version !== 1) throw new Error(`its version is ${content.version}, not 1`);
    if (![content.results, content.targets, content.pending].every((part) => typeof part === 'object' && part)) {
      throw new Error('parts of it are missing');
    }
    return { ...content, written: content.written ?? (await writtenOf(content, out)) };
  } catch (error) {
    const why = `${printable(path)} cannot be read (${printable((error as Error).message)}).`;
    const advice = 'Remove it to make all images again; with a service this costs credits.';
    throw new CliError(EXIT.usage, 'damaged_record', `${why} ${advice}`, error);
  }
}

/** Returns the written files of a record that does not list them: the files at the targets and their sizes. */
async function writtenOf(
  { results, targets }: Pick<Content, 'results' | 'targets'>,
  out: string,
): Promise<Content['written']> {
  const latest = Object.entries(targets).flatMap(([target, key]) =>
    (results[key]?.files ?? []).map((file) => [nameFile(target, file), file.sha256] as const),
  );
  return { ...(await findSizes(Object.keys(targets), out)), ...Object.fromEntries(latest) };
}
