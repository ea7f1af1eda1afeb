import type { ProviderSettings } from '../config.ts';
import { kindOf } from '../failure-kinds.ts';
import { codeOf, isAway } from './connection-codes.ts';

/** Answer of a service to a question that costs nothing: which models it has. */
export interface ModelList {
  /** Kind of the failure; null: it answered. `unknown_path`: it has no such list. */
  fault: ReturnType<typeof kindOf>['kind'] | 'unknown_path' | null;
  /** HTTP status; null if there was no response. */
  status: number | null;
  /** Code of the failed connection. */
  cause: string | null;
  /** True if the list has the configured model; null: it cannot be told. */
  hasModel: boolean | null;
  /** Time by the clock of the service, as its header says. */
  date: string | null;
}

const ADDRESSES: Record<ProviderSettings['kind'], string> = {
  'openai-compatible': '',
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};
const MAX_BYTES = 4_000_000;

/** Asks a service for the list of its models, which costs nothing. Never rejects. */
export async function listModels(settings: ProviderSettings, signal: AbortSignal): Promise<ModelList> {
  const { kind, baseUrl } = settings;
  const address = `${(baseUrl ?? ADDRESSES[kind]).replace(/\/+$/, '')}/models`;
  try {
    const response = await fetch(address, { headers: headersOf(settings), redirect: 'error', signal });
    const { status } = response;
    const body = await readSome(response);
    const known = { status, cause: null, date: response.headers.get('date') };
    if (response.ok) return { ...known, fault: null, hasModel: hasModel(body, settings.model) };
    const unknown = status === 404 || status === 405 || status === 501;
    return { ...known, fault: unknown ? 'unknown_path' : kindOf({ status, body }).kind, hasModel: null };
  } catch (error) {
    const cause = codeOf(error);
    const fault = signal.aborted || isAway(cause) ? 'unreachable' : 'broken';
    return { fault, status: null, cause: signal.aborted ? 'ETIMEDOUT' : cause, hasModel: null, date: null };
  }
}

function headersOf({ kind, apiKey }: ProviderSettings): Record<string, string> {
  if (apiKey === undefined) return {};
  if (kind === 'anthropic') return { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
  if (kind === 'google') return { 'x-goog-api-key': apiKey };
  return { Authorization: `Bearer ${apiKey}` };
}

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_BYTES) break;
  }
  return text;
}

interface Listed {
  data?: { id?: unknown }[];
  models?: { name?: unknown }[];
}

/** Names may carry a part that others leave out: `models/` of Google, `:latest` of Ollama. */
function hasModel(body: string, model: string): boolean | null {
  const bare = (name: string) => name.replace(/^models\//, '').replace(/:latest$/, '');
  try {
    const { data, models } = JSON.parse(body) as Listed;
    const names = [...(data ?? []).map(({ id }) => id), ...(models ?? []).map(({ name }) => name)];
    // A first page of many, or of a router that lists nothing.
    if (names.length === 0 || names.length >= 50)
      return names.some((name) => bare(String(name)) === bare(model)) || null;
    return names.some((name) => bare(String(name)) === bare(model));
  } catch {
    return null;
  }
}
