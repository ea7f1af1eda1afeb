import { createServer, request as send } from 'node:http';
import { serveLocally } from './serve-locally.ts';

/** One exchange with a real server. */
export interface Exchange {
  method: string;
  path: string;
  /** Null: the server has closed the connection. */
  status: number | null;
  /** Of a failure; else empty. */
  body: string;
  finishReason: string | null;
}

/** Passes requests on to a real server and keeps what it answered. */
export interface RecordingProxy {
  url: string;
  exchanges: Exchange[];
  /** Questions to the model, with those of one status alone if it is given. */
  questions(status?: number): Exchange[];
  close(): Promise<void>;
}

/** Starts the proxy. @param target `http://host:port` */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/' } = request;
    const keep = (status: number | null, body = '') => {
      const finishReason = /"finish_reason":\s*"(\w+)"/.exec(body)?.[1] ?? null;
      exchanges.push({ method, path: url, status, body: (status ?? 0) < 400 ? '' : body, finishReason });
    };
    const passed = send(target + url, { method, headers: request.headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', () => response.destroy());
      answer.on('end', () => {
        const body = Buffer.concat(parts);
        keep(answer.statusCode ?? null, body.toString());
        response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
      });
    });
    passed.on('error', () => {
      keep(null);
      // As the server itself: nobody is there.
      response.destroy();
    });
    response.on('close', () => passed.destroy());
    passed.end(Buffer.concat(chunks));
  });
  const { url, close } = await serveLocally(server);
  const questions = (status?: number) =>
    exchanges.filter((one) => one.method === 'POST' && (status === undefined || one.status === status));
  return { url, exchanges, questions, close };
}
