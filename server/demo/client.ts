import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CompleteEvent, ErrorEvent, ProgressEvent, UploadResult } from '#contract';

/** The few requests of the documented workflow, with nothing but `fetch`. */
export function createClient({ url, apiKey }: { url: string; apiKey: string }) {
  const headers = { 'X-API-Key': apiKey };

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } });
    if (response.ok) return response;
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  return {
    /** Adds a file to a session; without one, creates it. */
    async upload(file: string, sessionId?: string): Promise<UploadResult> {
      const form = new FormData();
      form.append('images', new Blob([await readFile(file)]), basename(file));
      const path = sessionId ? `/v1/sessions/${sessionId}/images` : '/v1/sessions';
      return (await (await request(path, { method: 'POST', body: form })).json()) as UploadResult;
    },

    /** Runs a sample or an export and tells its progress. @throws Error when nothing could be exported */
    async run(
      kind: 'sample' | 'export',
      job: { sessionId: string; images: { id: string }[]; settings: object },
      onProgress: (progress: ProgressEvent) => void,
    ): Promise<CompleteEvent> {
      const response = await request(`/v1/sessions/${job.sessionId}/${kind}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(job),
      });
      for await (const { event, data } of readEvents(response)) {
        if (event === 'progress') onProgress(data as ProgressEvent);
        else if (event === 'complete') return data as CompleteEvent;
        else throw new Error((data as ErrorEvent).error);
      }
      throw new Error(`the ${kind} ended without a result`);
    },

    /** The bytes of an exported file, by the URL of its variant. */
    async download(path: string): Promise<Uint8Array> {
      return new Uint8Array(await (await request(path)).arrayBuffer());
    },

    async balance(): Promise<number> {
      return ((await (await request('/v1/credits/balance')).json()) as { balance: number }).balance;
    },
  };
}

async function* readEvents(response: Response): AsyncGenerator<{ event: string; data: unknown }> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event && data) yield { event, data: JSON.parse(data) };
    }
  }
}
