import { expect } from 'vitest';
import type { Rig } from './rig.ts';
import type { SiteUser } from './site/site-user.ts';

/** Creates the editor `ed` and other users, by their names and roles, and logs the editor in. */
export async function createEditor({ site }: Rig, others: Record<string, string> = {}): Promise<SiteUser> {
  for (const [name, role] of Object.entries({ ed: 'editor', ...others })) {
    await site.createUser(name, role);
  }
  return site.logIn('ed', 'ed');
}

/** Returns the path in the plugin's REST API that forwards to a path of the service. */
export const service = (path: string) => `/service/v1${path}`;

function form(bytes: Uint8Array): FormData {
  const data = new FormData();
  data.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/jpeg' }), 'photo.jpg');
  return data;
}

/** Creates a session with one image through WordPress, and returns the ids of both. */
export async function upload(user: SiteUser, bytes: Uint8Array, key: string = crypto.randomUUID()) {
  const response = await user.call('POST', service('/sessions'), form(bytes), { 'Idempotency-Key': key });
  expect(response.status).toBe(201);
  const { sessionId, images } = (await response.json()) as { sessionId: string; images: { id: string }[] };
  return { sessionId, imageId: images[0]?.id ?? '' };
}

/** Settings of all exports in these tests. */
export const settings = { format: 'webp', preset: 'high' };

/** Returns the body of a request that exports an uploaded image. */
export const order = ({ imageId }: { imageId: string }) => ({ images: [{ id: imageId }], settings });
