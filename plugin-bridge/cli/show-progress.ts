import type { Source } from './name-outputs.ts';
import { describeImage, type Outcome } from './report.ts';
import { bytes, percentText } from './show-report.ts';

/** Progress display of a run. */
export interface Progress {
  /** Sets the progress of an image, 0-1. It never decreases. */
  at(source: Source, share: number, detail: string): void;
  /** Counts an image as made or failed. */
  done(outcome: Outcome): void;
  end(): void;
}

/** Creates a bar on a terminal, and elsewhere one plain line an image for logs. */
export async function createProgress(stream: NodeJS.WriteStream, total: number): Promise<Progress> {
  return stream.isTTY ? progressBar(stream, total) : plainLines(stream, total);
}

async function progressBar(stream: NodeJS.WriteStream, total: number): Promise<Progress> {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    stream,
    format: '  {bar} {percentage} %  {done}/{images}  {duration_formatted}  {detail}',
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
  let done = 0;
  bar.start(total * 100, 0, { done, images: total, detail: '' });
  const at = (source: Source, share: number, detail: string) => {
    shares.set(source.target, Math.max(share, shares.get(source.target) ?? 0));
    const sum = [...shares.values()].reduce((one, other) => one + other, 0);
    bar.update(Math.floor(sum * 100), { done, detail: detail.slice(0, 40) });
  };
  return {
    at,
    done(outcome) {
      done += 1;
      if (outcome.status === 'failed') failures.push(lineOf(outcome));
      at(outcome.source, 1, outcome.source.below);
    },
    end() {
      bar.update({ detail: '' });
      bar.stop();
      for (const line of failures) stream.write(`  ${line}\n`);
    },
  };
}

function plainLines(stream: NodeJS.WriteStream, total: number): Progress {
  let done = 0;
  return {
    at() {},
    done(outcome) {
      done += 1;
      stream.write(`[${done}/${total}] ${lineOf(outcome)}\n`);
    },
    end() {},
  };
}

function lineOf(outcome: Outcome): string {
  const { source, error, originalBytes, outputBytes, savedPercent, outputs, status } = describeImage(outcome);
  if (error) return `failed ${source}: ${error.message}`;
  const saved = savedPercent === null ? '' : `, ${percentText(savedPercent)}`;
  return `${status} ${source} > ${outputs[0]?.file} (${bytes(originalBytes ?? 0)} > ${bytes(outputBytes ?? 0)}${saved})`;
}
