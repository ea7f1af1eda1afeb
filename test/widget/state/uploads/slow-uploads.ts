import { createScriptedService, imageOf } from '../scripted-service.ts';
import { fileOf } from '../started-optimizer.ts';

type Progress = ((loaded: number, total: number) => void) | undefined;

/** Creates a service whose uploads wait until a test finishes or fails them. */
export function createSlowService() {
  const open: { name: string; finish(): void; fail(error: Error): void; progress: Progress; signal?: AbortSignal }[] =
    [];
  let count = 0;
  const send = (name: string, options?: { onProgress?: Progress; signal?: AbortSignal }) =>
    new Promise<never>((resolve, reject) => {
      const finish = () => {
        count += 1;
        const images = [imageOf(`img_${count}`)];
        resolve({ sessionId: 'sess_1', createdAt: '', expiresAt: '', images, rejected: [] } as never);
      };
      open.push({ name, finish, fail: reject, progress: options?.onProgress, signal: options?.signal });
    });
  const nameOf = (what: object) => (what as { files: { name: string }[] }).files[0]?.name ?? '';
  const service = createScriptedService({
    createSession: (what, options) => send(`new ${nameOf(what)}`, options),
    addImages: (_session, what, options) => send(nameOf(what), options),
  });
  return { service, open };
}

/** Creates files with different names. */
export const files = (count: number) => Array.from({ length: count }, (_, index) => fileOf(`${index}.jpg`));
