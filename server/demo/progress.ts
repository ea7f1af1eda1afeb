/** Shows how far a step is. */
export interface Progress {
  update(current: number, detail?: string): void;
  end(): void;
}

/** Shows the steps of the demonstration one after another. */
export type ShowProgress = (title: string, total: number) => Progress;

/** Bars on a terminal; elsewhere one plain line a step, which reads well in a log. */
export async function createProgress(output: NodeJS.WriteStream): Promise<ShowProgress> {
  return output.isTTY ? progressBars(output) : plainLines(output);
}

async function progressBars(stream: NodeJS.WriteStream): Promise<ShowProgress> {
  const { SingleBar } = (await import('cli-progress')).default;
  return (title, total) => {
    const bar = new SingleBar({
      stream,
      format: `  ${title.padEnd(10)} {bar} {value}/{total}  {duration_formatted}  {detail}`,
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 28,
      hideCursor: true,
      fps: 20,
    });
    bar.start(total, 0, { detail: '' });
    return {
      update: (current, detail = '') => bar.update(current, { detail: detail.slice(0, 32) }),
      end() {
        bar.update(total, { detail: '' });
        bar.stop();
      },
    };
  };
}

function plainLines(output: NodeJS.WriteStream): ShowProgress {
  return (title, total) => {
    const startedAt = performance.now();
    return {
      update() {},
      end() {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        output.write(`  ${title.padEnd(10)} ${total}/${total}  ${seconds} s\n`);
      },
    };
  };
}
