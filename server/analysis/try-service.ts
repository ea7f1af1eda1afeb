import type { AiReason } from '#contract';
import { readsDigits } from './capability-check.ts';
import { type AnalysisConfig, type ProviderSettings, providerSettings } from './config.ts';
import { REMEDIES } from './failure-kinds.ts';
import { listModels } from './providers/list-models.ts';
import { createSdkProvider } from './providers/sdk-provider.ts';
import { VisionFailure } from './vision-provider.ts';

/** Result of a try. Carries no text of the service. */
export interface TriedService {
  model: string;
  /** Origin of its address; null: the provider's own. */
  origin: string | null;
  /** Reason for which it does not work; null: nothing wrong was found. */
  reason: AiReason | null;
  /** What to do about it. */
  remedy: string | null;
  /** HTTP status and code of the failed connection, as far as there are any. */
  detail: string;
  /** What was found out: it read an image, it lists the model, or no more than that it answers. */
  proves: 'reads_images' | 'has_model' | 'answers';
  /** Time by the clock of the service. */
  date: string | null;
}

interface Trial {
  /** True to ask the model about a drawn image, which may cost money. Else the list of models is asked for. */
  asks: boolean;
  signal: AbortSignal;
}

/** Tries the configured vision service; null if none is configured. Never rejects. */
export async function tryService(config: AnalysisConfig, { asks, signal }: Trial): Promise<TriedService | null> {
  const settings = providerSettings(config);
  if (!settings) return null;
  const { model, baseUrl } = settings;
  const about = { model, origin: baseUrl === undefined ? null : new URL(baseUrl).origin };
  const found = asks ? await ask(settings, signal) : await list(settings, signal);
  return { ...about, ...found, remedy: found.reason && REMEDIES[found.reason] };
}

type Found = Omit<TriedService, 'model' | 'origin' | 'remedy'>;

async function list(settings: ProviderSettings, signal: AbortSignal): Promise<Found> {
  const { fault, status, cause, hasModel, date } = await listModels(settings, signal);
  const detail = [status, cause].filter((part) => part !== null).join(' ');
  // Many services have no such list; that alone says nothing.
  const reason = fault === 'unknown_path' ? null : (fault ?? (hasModel === false ? 'no_model' : null));
  return { reason, detail, date, proves: hasModel ? 'has_model' : 'answers' };
}

async function ask(settings: ProviderSettings, signal: AbortSignal): Promise<Found> {
  const rest = { date: null, proves: 'reads_images' } as const;
  try {
    const seen = await readsDigits(createSdkProvider(settings), signal);
    const reason = seen === 'digits' ? null : seen === 'cut_off' ? 'cut_off' : 'no_images';
    return { ...rest, reason, detail: '' };
  } catch (error) {
    if (!(error instanceof VisionFailure)) return { ...rest, reason: signal.aborted ? 'slow' : 'broken', detail: '' };
    const detail = [error.status, error.causeCode].filter((part) => part !== null).join(' ');
    return { ...rest, reason: error.kind, detail };
  }
}
