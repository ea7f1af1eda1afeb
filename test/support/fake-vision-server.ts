import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readDigits } from './read-digits.ts';
import { serveLocally } from './serve-locally.ts';

/** Treatment of a question about an image. Modes with `-once` apply to the first question alone. */
export type FakeMode =
  | 'good'
  | 'no-schema'
  | 'no-response-format'
  | 'bad-request'
  | 'fenced'
  | 'thinking'
  | 'thinking-forever'
  | 'empty'
  | 'empty-once'
  | 'wrong-shape'
  | 'wrong-shape-once'
  | 'truncated-once'
  | 'truncated'
  | 'refusal-field'
  | 'refusal-prose'
  | 'filtered'
  | 'rate-limited-once'
  | 'rate-limited-long'
  | 'error-once'
  | 'loading'
  | 'key-refused-as-400'
  | 'too-long'
  | 'no-images'
  | 'error'
  | 'unauthorized'
  | 'not-found'
  | 'hang'
  | 'hang-in-body'
  | 'endless'
  | 'html'
  | 'reset'
  | 'redirect';

/** One request as the service saw it. */
export interface SeenRequest {
  headers: IncomingMessage['headers'];
  /** The JSON body. */
  body: ChatRequest;
  /** `json_schema`, `json_object` or `text`. */
  format: string;
  /** The picture's bytes. */
  image: Buffer;
  mediaType: string;
  /** All words that were sent. */
  words: string;
  canary: boolean;
  /** When the client closed the connection before it had its answer: milliseconds since 1970. */
  abortedAt: number | null;
}

interface ChatRequest {
  model: string;
  response_format?: { type: string; json_schema?: { strict?: boolean; schema: unknown } };
  messages: { role: string; content: string | { type: string; text?: string; image_url?: { url: string } }[] }[];
}

/** A good answer about an image. */
export const GOOD_ANSWER = {
  kind: 'photo',
  decorative: false,
  alt: 'A red bicycle leans against a brick wall',
  title: 'Red bicycle at a wall',
  filename: 'red-bicycle-brick-wall',
  caption: 'It has waited there since spring.',
  tags: ['bicycle', 'wall'],
  language: 'en',
  textInImage: null as string | null,
  people: false,
};

/** An answer of the right form without any text, as small models give it under a grammar. */
const EMPTY_ANSWER = JSON.stringify({ ...GOOD_ANSWER, alt: '', title: ' ', filename: '', caption: null, tags: [] });

/** An OpenAI-compatible vision service over real HTTP, with all that such services do wrong. */
export interface FakeVisionServer {
  /** For `AI_BASE_URL`. */
  url: string;
  mode: FakeMode;
  /** Answer of the good modes: an object, or the raw text. */
  answer: unknown;
  /** Milliseconds before each answer. */
  delayMs: number;
  /** Promise that every answer awaits. */
  held: Promise<unknown> | null;
  /** True if it reads images: the digits of the canary. */
  blind: boolean;
  /** Also applies `mode` to the canary. */
  failsCanary: boolean;
  /** Headers of a failure. */
  headers: Record<string, string>;
  /** Bytes of the largest picture that has room in the context. */
  roomBytes: number;
  /** Requests for `/health`, which answers 503 in the mode `loading` and else 200. */
  healthChecks: number;
  requests: SeenRequest[];
  /** Requests about images, without canaries. */
  questions(): SeenRequest[];
  /** Most requests that were under way at once. */
  peak: number;
  reset(): void;
  close(): Promise<void>;
}

/** Starts the service on a free port. */
export async function startFakeVisionServer(): Promise<FakeVisionServer> {
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    fake.peak = Math.max(fake.peak, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    void serve(fake, request, response);
  });
  const fake: FakeVisionServer = {
    url: '',
    mode: 'good',
    answer: GOOD_ANSWER,
    delayMs: 0,
    held: null,
    blind: false,
    failsCanary: false,
    headers: {},
    roomBytes: 0,
    healthChecks: 0,
    requests: [],
    questions: () => fake.requests.filter(({ canary }) => !canary),
    peak: 0,
    reset() {
      const fresh = {
        mode: 'good' as const,
        answer: GOOD_ANSWER,
        delayMs: 0,
        held: null,
        blind: false,
        failsCanary: false,
        headers: {},
        roomBytes: 0,
        healthChecks: 0,
      };
      Object.assign(fake, fresh, { requests: [], peak: 0 });
    },
    close: () => served.close(),
  };
  const served = await serveLocally(server);
  fake.url = `${served.url}/v1`;
  return fake;
}

async function serve(fake: FakeVisionServer, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  if (request.url === '/health') {
    fake.healthChecks += 1;
    return response.writeHead(fake.mode === 'loading' ? 503 : 200).end();
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const seen = see(request, JSON.parse(Buffer.concat(chunks).toString('utf8')) as ChatRequest);
  fake.requests.push(seen);
  response.on('close', () => {
    if (!response.writableFinished) seen.abortedAt = Date.now();
  });
  await fake.held;
  if (fake.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, fake.delayMs));
  const sameKind = fake.requests.filter(({ canary }) => canary === seen.canary).length;
  if (seen.canary && !fake.failsCanary) return sendAnswer(response, await readDigits(fake.blind, seen.image));
  misbehave(fake, seen, response, sameKind === 1);
}

function see(request: IncomingMessage, body: ChatRequest): SeenRequest {
  const parts = body.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  );
  const dataUrl = parts.find(({ type }) => type === 'image_url')?.image_url?.url ?? '';
  const [, mediaType = '', base64 = ''] = /^data:([^;]+);base64,(.*)$/s.exec(dataUrl) ?? [];
  const words = parts.map(({ text }) => text ?? '').join('\n');
  return {
    headers: request.headers,
    body,
    format: body.response_format?.type ?? 'text',
    image: Buffer.from(base64, 'base64'),
    mediaType,
    words,
    canary: words.includes('digits'),
    abortedAt: null,
  };
}

function misbehave(fake: FakeVisionServer, seen: SeenRequest, response: ServerResponse, first: boolean): unknown {
  const good = typeof fake.answer === 'string' ? fake.answer : JSON.stringify(fake.answer);
  const refuse = (message: string) => fail(response, 400, message);
  switch (fake.mode) {
    case 'good':
      return sendAnswer(response, good);
    case 'no-schema':
      return seen.format === 'json_schema' ? refuse('json_schema is not supported') : sendAnswer(response, good);
    case 'no-response-format':
      return seen.format === 'text' ? sendAnswer(response, good) : refuse('unknown field response_format');
    case 'bad-request':
      return refuse('this model takes no images');
    case 'fenced':
      return sendAnswer(response, `Here is the JSON you asked for:\n\`\`\`json\n${good}\n\`\`\`\nAnything else?`);
    case 'thinking':
      return sendAnswer(response, `<think>Perhaps {"alt":"a draft"}?</think>\n${good}`);
    case 'thinking-forever':
      return sendAnswer(response, '<think>Sorry, I cannot tell yet. Perhaps {"alt":"a draft"}?', 'length');
    case 'empty':
      return sendAnswer(response, EMPTY_ANSWER);
    case 'empty-once':
      return sendAnswer(response, first ? EMPTY_ANSWER : good);
    case 'wrong-shape':
      return sendAnswer(response, '{"description":"a bicycle"}');
    case 'wrong-shape-once':
      return sendAnswer(response, first ? '{"description":"a bicycle"}' : good);
    case 'truncated':
      return sendAnswer(response, good.slice(0, 60), 'length');
    case 'truncated-once':
      return first ? sendAnswer(response, good.slice(0, 60), 'length') : sendAnswer(response, good);
    case 'refusal-field':
      return answer(response, { content: null, refusal: 'I cannot describe this.' });
    case 'refusal-prose':
      return sendAnswer(response, "I'm sorry, but I can't help with that image.");
    case 'filtered':
      return sendAnswer(response, '', 'content_filter');
    case 'rate-limited-once':
      return first ? fail(response, 429, 'slow down', { 'retry-after': '1' }) : sendAnswer(response, good);
    case 'rate-limited-long':
      return fail(response, 429, 'slow down', { 'retry-after': '120' });
    case 'error-once':
      return first ? fail(response, 500, 'internal error') : sendAnswer(response, good);
    case 'loading':
      return fail(response, 503, 'Loading model', fake.headers);
    case 'key-refused-as-400':
      return fail(response, 400, 'litellm.BadRequestError: AuthenticationError: Incorrect API key provided');
    case 'too-long':
      if (seen.image.length < fake.roomBytes) return sendAnswer(response, good);
      return fail(response, 400, 'request (5000 tokens) exceeds the available context size (2048 tokens)');
    case 'no-images':
      return fail(
        response,
        500,
        'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      );
    case 'error':
      return fail(response, 500, 'out of memory');
    case 'unauthorized':
      return fail(response, 401, `Incorrect API key provided: ${seen.headers.authorization}`);
    case 'not-found':
      return fail(response, 404, `no model of this name for ${seen.headers.authorization}`);
    case 'hang':
      return;
    case 'hang-in-body':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":[');
      return;
    case 'endless': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const pour = () => {
        if (!response.destroyed) response.write(' '.repeat(65_536), () => setImmediate(pour));
      };
      return pour();
    }
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html><body>Welcome to the router</body></html>');
      return;
    case 'reset':
      response.destroy();
      return;
    case 'redirect':
      response.writeHead(307, { location: `${fake.url}/elsewhere` });
      response.end();
  }
}

function sendAnswer(response: ServerResponse, content: string, finishReason = 'stop'): void {
  answer(response, { content }, finishReason);
}

function answer(response: ServerResponse, message: Record<string, unknown>, finishReason = 'stop'): void {
  if (response.destroyed) return;
  response.writeHead(200, { 'content-type': 'application/json' });
  const choices = [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', ...message } }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'fake', choices, usage }));
}

function fail(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message, type: 'error', code: null } }));
}
