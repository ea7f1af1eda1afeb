import { ApiError } from '../errors.ts';
import type { Watch } from './watch.ts';

/** A response whose headers have been received. */
export interface ServiceResponse {
  status: number;
  headers: Headers;
  /** Yields the body as it arrives. @throws ConnectionError `stream_interrupted`, `timeout`, `aborted` */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Closes the connection. */
  close(): void;
}

/** Wraps a platform response; `watch` limits the silence between chunks. */
export function toServiceResponse(response: Response, watch: Watch): ServiceResponse {
  const close = () => watch.end(true);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    try {
      while (reader) {
        watch.start();
        const { done, value } = await reader.read();
        watch.pause();
        if (done) break;
        yield value;
      }
    } catch (error) {
      throw watch.explain(error, 'stream_interrupted');
    } finally {
      close();
    }
  }
  return { status: response.status, headers: response.headers, chunks, close };
}

/** Reads a response's whole body. */
export async function readBlob({ headers, chunks }: ServiceResponse): Promise<Blob> {
  const parts: BlobPart[] = [];
  for await (const chunk of chunks()) parts.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(parts, { type: headers.get('Content-Type') ?? '' });
}

/** Reads a response as JSON. @throws ApiError `bad_response` for anything else */
export async function readJson<T>(response: ServiceResponse): Promise<T> {
  const text = await (await readBlob(response)).text();
  try {
    return JSON.parse(text) as T;
  } catch {
    throw badResponse(response);
  }
}

/** Reads a response without content. */
export async function readNothing(response: ServiceResponse): Promise<void> {
  await readBlob(response);
}

/** Reads the error of a failed response. */
export async function readError(response: ServiceResponse): Promise<ApiError> {
  const { status, headers } = response;
  let body: unknown;
  try {
    body = await readJson(response);
  } catch {
    // The status says more than the reason the body could not be read.
  }
  if (typeof body !== 'object' || body === null) return badResponse(response);
  const { error, message } = body as Record<string, unknown>;
  const text = error ?? message;
  return typeof text === 'string' ? new ApiError(text, status, { ...body }, headers) : badResponse(response);
}

/** Returns the error for a response that cannot come from the service. */
export function badResponse({ status, headers }: ServiceResponse): ApiError {
  const type = headers.get('Content-Type')?.split(';')[0] || 'nothing';
  return new ApiError(`The service's address answered ${status} with ${type}`, status, {}, headers);
}
