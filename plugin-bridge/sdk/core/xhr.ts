import type { Watch } from './watch.ts';

/** Receives the progress of an upload, in bytes of the whole request. */
export type UploadProgress = (loadedBytes: number, totalBytes: number) => void;

/** Bytes count as sent when the system has buffered them, up to 4 MB, which may take minutes on a slow line. */
export const UPLOAD_TIMES = 5;

/** Sends an upload by XMLHttpRequest, the only browser API with upload progress. */
export function sendWithProgress(
  url: string,
  { method, headers, body }: { method: string; headers: Headers; body: FormData | string | null },
  { watch, onProgress }: { watch: Watch; onProgress: UploadProgress },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    xhr.responseType = 'blob';
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.upload.onprogress = ({ loaded, total }) => {
      watch.start(UPLOAD_TIMES);
      onProgress(loaded, total);
    };
    xhr.onload = () => {
      const received = new Headers();
      for (const line of xhr.getAllResponseHeaders().trim().split(/\r?\n/)) {
        const [name = '', ...value] = line.split(': ');
        if (name) received.append(name, value.join(': '));
      }
      resolve(new Response(xhr.response as Blob, { status: xhr.status, headers: received }));
    };
    xhr.onerror = () => reject(new TypeError('network error'));
    xhr.onabort = () => reject(new TypeError('aborted'));
    if (watch.signal.aborted) return reject(new TypeError('aborted'));
    watch.signal.addEventListener('abort', () => xhr.abort());
    // Without a first byte nothing is in that buffer: some browsers wait for ever for a file that is gone.
    watch.start();
    xhr.send(body);
  });
}
