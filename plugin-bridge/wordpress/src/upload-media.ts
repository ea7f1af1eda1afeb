import type { Rest } from './rest.ts';
import { RestError } from './rest.ts';

/**
 * Uploads files to the media library, one after the other, and returns the new ids. Calls `refused` with the reason for each
 * file WordPress rejects.
 */
export async function uploadMedia(
  files: readonly Blob[],
  { root, rest, refused }: { root: string; rest: Rest; refused: (name: string, reason: string) => void },
): Promise<string[]> {
  const address = root.replace('imagewright/v1', 'wp/v2/media');
  const ids: string[] = [];
  for (const file of files) {
    const name = file instanceof File ? file.name : 'image';
    const send = () => {
      const form = new FormData();
      form.append('file', file, name);
      return fetch(address, { method: 'POST', headers: rest.headers(), body: form, credentials: 'same-origin' });
    };
    try {
      let response = await send();
      if (response.status === 403 && (await rest.renew())) response = await send();
      const body = (await response.json()) as { id?: number; message?: string };
      if (response.ok && body.id) ids.push(String(body.id));
      else refused(name, body.message ?? `HTTP ${response.status}`);
    } catch (error) {
      refused(name, error instanceof RestError ? error.message : String(error));
    }
  }
  return ids;
}
