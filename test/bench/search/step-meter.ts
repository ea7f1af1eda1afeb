import sharp, { type Sharp } from 'sharp';
import type { PreparedReference, Scorer } from '../../../server/processing/worker/score/index.ts';

/** Work of a render that is measured by itself. */
export type StepName = 'decode source' | 'encode' | 'decode file' | 'reference side' | 'distorted side';

/** One piece of work. */
export interface Step {
  name: StepName;
  /** Processor time of all threads of this process, in milliseconds. */
  ms: number;
  /** Encodings: pixels of the image that was encoded. */
  pixels: number;
}

/** Work of one render. */
export interface MeasuredRender {
  steps: Step[];
  /** Processor time of the render, in milliseconds: its steps, and the rest, which copies, cuts and measures pixels. */
  ms: number;
}

/** Returns the processor time of this process so far, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

interface Options {
  formatOut: string;
  input: { rawWidth?: number; rawHeight?: number };
}

/**
 * Creates a meter of renders in this process, which must run one at a time. It watches the library's `toBuffer`, and the scorer that it
 * returns: that scores the first version of an original twice, since the first time includes the original's share of the work.
 */
export function createStepMeter(scorer: Scorer) {
  let steps: Step[] = [];
  /** Time of the second score of a first version, which no render takes. */
  let extra = 0;
  const add = (name: StepName, ms: number, pixels = 0) => steps.push({ name, ms, pixels });

  const prototype = sharp.prototype as Sharp;
  const { toBuffer } = prototype;
  prototype.toBuffer = async function toBufferMeasured(this: Sharp, ...rest: unknown[]) {
    const { formatOut, input } = (this as unknown as { options: Options }).options;
    const startedAt = cpuMs();
    const result = await (toBuffer as (...all: unknown[]) => Promise<unknown>).apply(this, rest);
    const isEncoded = formatOut !== 'raw';
    const decoded = steps.some(({ name }) => name === 'encode') ? 'decode file' : 'decode source';
    add(isEncoded ? 'encode' : decoded, cpuMs() - startedAt, (input.rawWidth ?? 0) * (input.rawHeight ?? 0));
    return result;
  } as Sharp['toBuffer'];

  const measured: Scorer = {
    ...scorer,
    prepare(...given) {
      const prepared = scorer.prepare(...given);
      let present = false;
      const score: PreparedReference['score'] = (version) => {
        const startedAt = cpuMs();
        const result = prepared.score(version);
        const first = cpuMs() - startedAt;
        if (present) {
          add('distorted side', first);
          return result;
        }
        present = true;
        const secondAt = cpuMs();
        prepared.score(version);
        const second = cpuMs() - secondAt;
        extra += second;
        add('distorted side', second);
        add('reference side', Math.max(0, first - second));
        return result;
      };
      return { score };
    },
  };

  return {
    scorer: measured,
    /** Measures a render. */
    async measure(render: () => Promise<unknown>): Promise<MeasuredRender> {
      [steps, extra] = [[], 0];
      const startedAt = cpuMs();
      await render();
      return { steps, ms: cpuMs() - startedAt - extra };
    },
    /** Gives the library its own `toBuffer` back. */
    close() {
      prototype.toBuffer = toBuffer;
    },
  };
}
