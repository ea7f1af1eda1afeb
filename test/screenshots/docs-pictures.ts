import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Stage } from './stage.ts';

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** Writes a screenshot to `docs/images/<name>.webp`, compressed by the service itself. */
export async function keepForDocs(stage: Stage, name: string, png: Buffer): Promise<void> {
  const { api } = await stage.test.createAccount();
  const uploaded = await api.upload([{ name: `${name}.png`, bytes: png }]);
  const { last } = await api.run('export', uploaded, { format: 'webp', preset: 'medium' });
  if (last.event !== 'complete') throw new Error(`${name}: ${last.data.error}`);
  const [variant] = last.data.results[0]?.variants ?? [];
  const answer = await api.request(variant?.url ?? '');
  const bytes = new Uint8Array(await answer.arrayBuffer());
  await writeFile(`${FOLDER}${name}.webp`, bytes);
  console.log(`docs/images/${name}.webp: ${Math.round(bytes.length / 1000)} kB`);
}
