import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CompleteEvent, ErrorEvent, ProgressEvent, Settings, UploadResult } from '#contract';

/** An event as a client reads it. */
export type ClientEvent =
  | { id: string; event: 'progress'; data: ProgressEvent }
  | { id: string; event: 'complete'; data: CompleteEvent }
  | { id: string; event: 'error'; data: ErrorEvent };

/** The folder of test images. */
export const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

type SettingsInput = { [Key in keyof Settings]?: unknown };

/** Everything a test wants of an export stream. */
export interface FinishedStream {
  jobId: string;
  events: ClientEvent[];
  /** The last event. */
  last: Exclude<ClientEvent, { event: 'progress' }>;
}

/** Makes a plain client of the API: fetch with a key, and the few things that nearly every test does. */
export function createApiClient({ url, apiKey }: { url: string; apiKey?: string }) {
  function request(path: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
    const { json, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (apiKey && !headers.has('X-API-Key')) headers.set('X-API-Key', apiKey);
    if (json === undefined) return fetch(url + path, { ...rest, headers });
    headers.set('Content-Type', 'application/json');
    return fetch(url + path, { method: 'POST', ...rest, headers, body: JSON.stringify(json) });
  }

  async function readJson<T>(path: string, init?: RequestInit & { json?: unknown }): Promise<T> {
    const response = await request(path, init);
    const body = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    return body as T;
  }

  /** Uploads files of `test/fixtures`, or bytes under a name. */
  async function upload(
    files: (string | { name: string; bytes: Uint8Array })[],
    options: { sessionId?: string; metadata?: unknown; headers?: Record<string, string> } = {},
  ): Promise<UploadResult> {
    const form = await formOf(files);
    if (options.metadata !== undefined) form.append('metadata', JSON.stringify(options.metadata));
    const path = options.sessionId ? `/v1/sessions/${options.sessionId}/images` : '/v1/sessions';
    return readJson(path, { method: 'POST', body: form, headers: options.headers });
  }

  function exportBody(upload: UploadResult, settings: SettingsInput) {
    return { sessionId: upload.sessionId, images: upload.images.map(({ id }) => ({ id })), settings };
  }

  /** Runs an export or sample to its end. Throws when it is refused. */
  async function run(
    kind: 'export' | 'sample',
    uploaded: UploadResult,
    settings: SettingsInput = {},
    headers: Record<string, string> = {},
  ): Promise<FinishedStream> {
    const path = `/v1/sessions/${uploaded.sessionId}/${kind}`;
    const response = await request(path, { json: exportBody(uploaded, settings), headers });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const events: ClientEvent[] = [];
    for await (const event of readEvents(response)) events.push(event);
    const last = events.at(-1);
    if (!last || last.event === 'progress') throw new Error('the stream ended without a last event');
    return { jobId: response.headers.get('X-Job-Id') ?? '', events, last };
  }

  async function balance(): Promise<number> {
    return (await readJson<{ balance: number }>('/v1/credits/balance')).balance;
  }

  return { url, apiKey, request, readJson, upload, exportBody, run, balance };
}

/** A plain client of the API. */
export type ApiClient = ReturnType<typeof createApiClient>;

/** A multipart form with fixtures or bytes in the field `images`. */
export async function formOf(files: (string | { name: string; bytes: Uint8Array })[]): Promise<FormData> {
  const form = new FormData();
  for (const file of files) {
    const { name, bytes } =
      typeof file === 'string' ? { name: basename(file), bytes: await readFile(join(FIXTURES, file)) } : file;
    form.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  }
  return form;
}

/** Reads the events of a stream as they come. */
export async function* readEvents(response: Response): AsyncGenerator<ClientEvent> {
  let text = '';
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
  )) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      const event = fields.get('event');
      if (event) yield { id: fields.get('id'), event, data: JSON.parse(fields.get('data') ?? '') } as ClientEvent;
    }
  }
}
