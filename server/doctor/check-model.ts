import { AI_REASONS, type CheckLine } from '#contract';
import { type AnalysisConfig, type TriedService, tryService } from '../analysis/index.ts';
import { linesOf } from './lines.ts';

const PROVES: Record<TriedService['proves'], string> = {
  reads_images: 'it reads images',
  has_model: 'it has the model and takes the key; if it reads images was not tried (--model)',
  answers: 'it answers; key and model were not tried (--model)',
};

interface ModelCheckInput {
  config: AnalysisConfig;
  /** True to ask the model about an image, which may cost money. */
  asks: boolean;
  signal: AbortSignal;
}

/** Result of the check of the vision service. */
export interface CheckedModel {
  lines: CheckLine[];
  /** Time by the clock of the service, as its header says. */
  date: string | null;
}

/** Asks the vision service which models it has, which costs nothing, or for what a drawn image shows. */
export async function checkModel({ config, asks, signal }: ModelCheckInput): Promise<CheckedModel> {
  const tried = await tryService(config, { asks, signal });
  if (!tried) {
    const line = linesOf('model', 'AI_PROVIDER');
    return {
      lines: [line.off('not_set', 'no vision service is set; images are described from their files')],
      date: null,
    };
  }
  const address = tried.origin ?? `the address of ${config.AI_PROVIDER}`;
  const line = linesOf(
    'model',
    `${tried.model} (AI_MODEL) at ${address}: ${asks ? 'reads an image' : 'lists its models'}`,
  );
  return { lines: [lineOf(tried, line, asks)], date: tried.date };
}

function lineOf(tried: TriedService, line: ReturnType<typeof linesOf>, asks: boolean): CheckLine {
  const { reason, remedy, detail, proves } = tried;
  if (reason === null || remedy === null) return line.ok(proves, PROVES[proves]);
  const words = AI_REASONS[reason].replace(/\.$/, '').replace(/^./, (letter) => letter.toLowerCase());
  const found = detail ? `${words} (${detail})` : words;
  // It begins with the reason, in words for the log.
  const todo = remedy.replace(/^[^(]*?: /, '');
  // A list may leave out what is there, and load passes.
  const passes = reason === 'loading' || reason === 'overloaded';
  if (passes || (!asks && reason === 'no_model' && detail === '200')) return line.warning(reason, found, todo);
  return line.fault(reason, found, todo);
}
