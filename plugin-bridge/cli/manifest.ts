import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata, Quality, Warning } from '#contract';
import { IDEMPOTENCY_HOURS } from '#contract/constants';
import { CliError, EXIT } from './exit-codes.ts';
import { hashBytes, writeWhole } from './files-on-disk.ts';
import { findSizes } from './find-sizes.ts';
import { nameVariant } from './name-outputs.ts';
import type { ExportSettings, Options } from './options.ts';

/** A file of a result at the service. */
export interface StoredFile {
  /** `full`, or `<width>w`. */
  variant: string;
  /** Name at the service. */
  filename: string;
  sha256: string;
  /** Bytes. */
  size: number;
  width: number;
  height: number;
  /** Missing in records of earlier versions. */
  quality?: Quality;
}

/** Result of one content and one set of settings. */
export interface StoredResult {
  endpoint: string;
  sessionId: string;
  /** ISO 8601. */
  exportedAt: string;
  /** Size of the source in bytes. */
  originalBytes: number;
  files: StoredFile[];
  warnings: Warning[];
  metadata: Metadata | null;
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
  /** Results by content and settings, see {@link keyOf}. */
  results: Record<string, StoredResult>;
  /** Keys of results, by name of the `full` file below the output folder. */
  targets: Record<string, string>;
  /** SHA-256 of every file ever written, by name below the output folder. Older records lack it. */
  written: Record<string, string>;
  pending: PendingBatch[];
}

const NAME = '.imagewright.json';
/** Time the service keeps idempotency keys, and this record keeps paid results without a file, in ms. */
const REMEMBERED_MS = IDEMPOTENCY_HOURS * 3_600_000;

/** Returns the key of a result: the source's SHA-256 and a hash of everything that was asked for. */
export function keyOf(sha256: string, { settings, analyze }: Pick<Options, 'settings' | 'analyze'>): string {
  const { format, preset, responsive, responsiveSizes = null, embedMetadata, onlySmaller } = settings;
  const asked = [format, preset, responsive, responsiveSizes, embedMetadata, analyze && (analyze.language ?? '')];
  // Without the option, keys are as in records of earlier versions.
  if (onlySmaller) asked.push('onlySmaller');
  return `${sha256}-${hashBytes(JSON.stringify(asked)).slice(0, 16)}`;
}

/**
 * Opens the record in an output folder; an empty one if there is none.
 * @throws CliError 2 if it cannot be read: starting without it would pay for every image again
 */
export async function openManifest(out: string) {
  const path = join(out, NAME);
  const content = await read(path, out);
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
    recordTarget(target: string, key: string): void {
      content.targets[target] = key;
      for (const { variant, sha256 } of content.results[key]?.files ?? []) {
        content.written[nameVariant(target, variant)] = sha256;
      }
    },

    /** Returns the absolute paths of all files written by earlier runs. */
    writtenFiles: () => new Set(Object.keys(content.written).map((name) => join(out, name))),

    /** Saves the record. Concurrent calls run one after the other. */
    save(): Promise<void> {
      saving = saving.then(() => {
        forgetUnused();
        return writeWhole(path, `${JSON.stringify(content, null, 1)}\n`);
      });
      return saving;
    },
  };
}

/** The record in an output folder. */
export type Manifest = Awaited<ReturnType<typeof openManifest>>;

async function read(path: string, out: string): Promise<Content> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      return { version: 1, results: {}, targets: {}, written: {}, pending: [] };
    }
    throw error;
  }
  try {
    const content = JSON.parse(text) as Omit<Content, 'written'> & Partial<Content>;
    if (content.version !== 1) throw new Error(`its version is ${content.version}, not 1`);
    if (![content.results, content.targets, content.pending].every((part) => typeof part === 'object' && part)) {
      throw new Error('parts of it are missing');
    }
    return { ...content, written: await writtenOf(content, out) };
  } catch (error) {
    const why = `${path} cannot be read (${(error as Error).message}).`;
    const advice = 'Remove it to make all images again; this costs credits.';
    throw new CliError(EXIT.usage, 'damaged_record', `${why} ${advice}`, error);
  }
}

/** Returns the written files: for older records, the files at the targets and their sizes. */
async function writtenOf(
  { results, targets, written }: Pick<Content, 'results' | 'targets'> & Partial<Content>,
  out: string,
): Promise<Content['written']> {
  const latest = Object.entries(targets).flatMap(([target, key]) =>
    (results[key]?.files ?? []).map(({ variant, sha256 }) => [nameVariant(target, variant), sha256] as const),
  );
  return { ...(written ?? (await findSizes(Object.keys(targets), out))), ...Object.fromEntries(latest) };
}
