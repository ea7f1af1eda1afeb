import type { Watch } from './watch.ts';

/** Receives the progress of an upload, in bytes of the whole request. */
export type UploadProgress = (loadedBytes: number, totalBytes: number) => void;

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
      // The last bytes are counted when the system has buffered them, and may take minutes on a slow line.
      watch.start(loaded < total ? 1 : 5);
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
    watch.start();
    xhr.send(body);
  });
}
