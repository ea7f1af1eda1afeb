import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads every TypeScript file of the service; paths are relative to `server/`. */
export function readServerSources(): { path: string; text: string }[] {
  return readdirSync('server', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join('server', path), 'utf8') }));
}
