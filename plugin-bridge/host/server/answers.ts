import type { ServerResponse } from 'node:http';

/** Answers in JSON; breaks the connection if an answer has begun. */
export function answer(res: ServerResponse, status: number, body: unknown): void {
  if (res.headersSent) return void res.destroy();
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  res.writeHead(status, headers).end(JSON.stringify(body));
}

/** Answers with an error in the form of the service. */
export function refuse(res: ServerResponse, status: number, code: string, error: string): void {
  answer(res, status, { error, code });
}
