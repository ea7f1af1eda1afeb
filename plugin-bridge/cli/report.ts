import type { JobCredits, Lack, Metadata, Quality, Warning } from '#contract';
import type { Conflict } from './conflicts.ts';
import type { ExitCode } from './exit-codes.ts';
import type { StoredResult } from './manifest.ts';
import { formatOfName, markupOf } from './markup.ts';
import type { Source } from './name-outputs.ts';
import type { ExportSettings } from './options.ts';

/** Reason an image was not made. */
export interface Failure {
  code: string;
  message: string;
}

/**
 * State of an image at the end of a run: `made` in this run, `restored` without paying because files were missing,
 * `unchanged`, `planned` (would be made; `--dry-run`), `failed`, `unmade` (the run ended before it was done).
 */
export type Status = 'made' | 'restored' | 'unchanged' | 'planned' | 'failed' | 'unmade';

/** Outcome of one image. */
export interface Outcome {
  source: Source;
  status: Status;
  result?: StoredResult;
  error?: Failure;
}

/** An image as `--json` prints it. */
export interface ImageReport {
  /** The source below the fixed part of its pattern. */
  source: string;
  status: Status;
  originalBytes: number | null;
  /** Of the `full` file. */
  outputBytes: number | null;
  savedBytes: number | null;
  savedPercent: number | null;
  /** Below the output folder; `full` first. */
  outputs: {
    file: string;
    variant: string;
    format: string;
    size: number;
    width: number;
    height: number;
    sha256: string;
    /** Null in records of earlier versions. */
    quality: Quality | null;
    /** Parts of the image that the file does not show; missing if none. */
    lacks?: Lack[];
  }[];
  /** An `img` or `picture` of the files; null if there is none of full size. */
  html: string | null;
  warnings: Warning[];
  metadata: Metadata | null;
  error: Failure | null;
}

/** Sums over a run. Bytes count images that have results. */
export interface Summary {
  images: number;
  made: number;
  restored: number;
  unchanged: number;
  planned: number;
  failed: number;
  unmade: number;
  originalBytes: number;
  outputBytes: number;
  savedBytes: number;
  savedPercent: number;
  /** Lowest and mean score over all files that have one; null if none has. */
  quality: { worst: number; mean: number } | null;
}

/** Document printed by `--json`, of one shape for every end. */
export interface Report {
  exitCode: ExitCode;
  /** Reason the run ended early; null if it did not. */
  error: Failure | null;
  dryRun: boolean;
  /** Address of the service; null: made on this machine. */
  service: string | null;
  out: string;
  settings: ExportSettings;
  images: ImageReport[];
  summary: Summary;
  /** Credits of the exports that ended in this run; `balance` as last reported by the service. */
  credits: { charged: number; refunded: number; balance: number | null };
  /** Price of a `--dry-run`; else null. */
  cost: { images: number; credits: number; balance: number | null; sufficient: boolean } | null;
  /** Files of others at the paths of results; without `--overwrite` they end the run. */
  conflicts: Conflict[];
  /** Results that were removed by `--prune`, below the output folder. */
  pruned: string[];
  /** Remarks for people. */
  notices: string[];
}

/** Converts an outcome to the report of its image. */
export function describeImage({ source, status, result, error }: Outcome, baseUrl = ''): ImageReport {
  const full = result?.files.find(({ variant }) => variant === 'full');
  const original = result?.originalBytes ?? null;
  const saved = full && original !== null ? original - full.size : null;
  return {
    source: source.below,
    status,
    originalBytes: original,
    outputBytes: full?.size ?? null,
    savedBytes: saved,
    savedPercent: saved === null || !original ? null : percent(saved, original),
    outputs: (result?.files ?? []).map((one) => {
      const { variant, format = formatOfName(source.target), size, width, height, sha256, quality = null, lacks } = one;
      return {
        file: source.nameOf(one),
        variant,
        format,
        size,
        width,
        height,
        sha256,
        quality,
        ...(lacks && { lacks }),
      };
    }),
    html: result ? markupOf(source, result, baseUrl).html : null,
    warnings: result?.warnings ?? [],
    metadata: result?.metadata ?? null,
    error: error ?? null,
  };
}

/** Sums up the reports of images. */
export function summarize(images: ImageReport[]): Summary {
  const count = (status: Status) => images.filter((image) => image.status === status).length;
  const sum = (of: (image: ImageReport) => number | null) =>
    images.reduce((total, image) => total + (image.outputBytes === null ? 0 : (of(image) ?? 0)), 0);
  const originalBytes = sum((image) => image.originalBytes);
  const outputBytes = sum((image) => image.outputBytes);
  return {
    images: images.length,
    made: count('made'),
    restored: count('restored'),
    unchanged: count('unchanged'),
    planned: count('planned'),
    failed: count('failed'),
    unmade: count('unmade'),
    originalBytes,
    outputBytes,
    savedBytes: originalBytes - outputBytes,
    savedPercent: originalBytes === 0 ? 0 : percent(originalBytes - outputBytes, originalBytes),
    quality: scoresOf(images),
  };
}

function scoresOf(images: ImageReport[]): Summary['quality'] {
  const scores = images.flatMap(({ outputs }) => outputs.flatMap(({ quality }) => quality?.score ?? []));
  if (scores.length === 0) return null;
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return { worst: Math.min(...scores), mean: Math.round(mean * 10) / 10 };
}

/** Adds the credits of a job to `total`. */
export function addCredits(total: Report['credits'], { charged, refunded, balance }: JobCredits): void {
  total.charged += charged;
  total.refunded += refunded;
  total.balance = balance;
}

function percent(part: number, total: number): number {
  return Math.round((part / total) * 1000) / 10;
}
