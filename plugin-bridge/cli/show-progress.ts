import type { Source } from './name-outputs.ts';
import { printable, printableLines } from './printable.ts';
import type { Outcome } from './report.ts';

/** Progress display of a run. */
export interface Progress {
  /** Sets the progress of an image, 0-1. It never decreases. */
  at(source: Source, share: number, detail: string): void;
  /** Counts an image as made or failed. */
  done(outcome: Outcome): void;
  end(): void;
}

/** Steps of a job in words. Others are shown as the service names them. */
const STEPS: Readonly<Record<string, string>> = {
  queued: 'waiting',
  load: 'reading',
  optimize: 'encoding',
  resize: 'encoding',
  save: 'storing',
  done: 'made',
};

/** Returns what happens to an image in a step of its job, as the bar shows it. */
export function stepText(step: string): string {
  return Object.hasOwn(STEPS, step) ? (STEPS[step] ?? step) : step;
}

/** Time between two lines of a log that says how far a run is, in ms. */
const LOG_EVERY_MS = 30_000;

/** Creates a bar on a terminal; elsewhere a log gets a line for each failed image, and now and then how far the run is. */
export async function createProgress(stream: NodeJS.WriteStream, total: number): Promise<Progress> {
  return stream.isTTY ? progressBar(stream, total) : plainLines(stream, total);
}

async function progressBar(stream: NodeJS.WriteStream, total: number): Promise<Progress> {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    stream,
    format: '  {bar} {percentage} %  {done} of {images} done{left}  {detail}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 28,
    hideCursor: true,
    // On Ctrl-C the program saves its record first.
    gracefulExit: false,
    fps: 20,
  });
  const shares = new Map<string, number>();
  const failures: string[] = [];
  const startedAt = Date.now();
  let done = 0;
  bar.start(total * 100, 0, { done, images: total, left: '', detail: '' });
  const at = (source: Source, share: number, detail: string) => {
    shares.set(source.target, Math.max(share, shares.get(source.target) ?? 0));
    const sum = [...shares.values()].reduce((one, other) => one + other, 0);
    const left = leftText(Date.now() - startedAt, sum / total);
    bar.update(Math.floor(sum * 100), { done, left, detail: printable(detail).slice(0, 40) });
  };
  return {
    at,
    done(outcome) {
      done += 1;
      const { source, error } = outcome;
      const line = error && `failed ${printable(source.below)}: ${printable(error.message)}`;
      if (line) failures.push(line);
      at(source, 1, source.below);
    },
    end() {
      bar.update({ left: '', detail: '' });
      bar.stop();
      for (const line of failures) stream.write(printableLines(`  ${line}\n`));
    },
  };
}

/** Formats the time a run still needs, at its pace so far; empty in its first seconds and at its end. */
export function leftText(elapsedMs: number, share: number): string {
  if (elapsedMs < 3000 || share <= 0 || share >= 1) return '';
  const seconds = Math.ceil(((elapsedMs / 1000) * (1 - share)) / share);
  return `, about ${seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} left`;
}

function plainLines(stream: NodeJS.WriteStream, total: number): Progress {
  let done = 0;
  let saidAt = Date.now();
  const reasons = new Set<string>();
  return {
    at() {},
    done({ source, error }) {
      done += 1;
      // One that many images share is said once; the report counts them.
      if (error && !reasons.has(error.message)) {
        const line = `failed ${printable(source.below)}: ${printable(error.message)}`;
        stream.write(printableLines(`${line}\n`));
      }
      if (error) reasons.add(error.message);
      if (Date.now() - saidAt < LOG_EVERY_MS) return;
      saidAt = Date.now();
      stream.write(`${done} of ${total} done\n`);
    },
    end() {},
  };
}
