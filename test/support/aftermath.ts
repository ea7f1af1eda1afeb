import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';
import type { SharedService } from './shared-service.ts';

/** Every file the service keeps, relative to its store; the database's own files are not among them. */
export async function storedFiles({ dataDir }: { dataDir: string }): Promise<string[]> {
  const root = join(dataDir, 'files');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .flatMap((entry) => (entry.isFile() ? [relative(root, join(entry.parentPath, entry.name))] : []))
    .sort();
}

/** Files of one namespace: a session's, or its samples'. */
export async function filesOf(service: { dataDir: string }, namespace: string): Promise<string[]> {
  return (await storedFiles(service)).filter((file) => file.startsWith(`sessions/${namespace}/`));
}

/** Waits until no job runs and no image waits. */
export async function untilIdle({ service }: Pick<SharedService, 'service'>): Promise<void> {
  await vi.waitFor(() => expect(service.jobs.stats()).toEqual({ waiting: 0, jobs: 0 }), { timeout: PATIENCE_MS });
}

/** Waits until the service is at rest and holds every account against its ledger; no temporary file is left then. */
export async function expectCleanBooks(test: SharedService): Promise<void> {
  await untilIdle(test);
  const { ok, broken, figures } = await test.service.accounts.audit();
  expect({ ok, broken, pending: figures.pending }).toEqual({ ok: true, broken: [], pending: 0 });
  const temporary = (await storedFiles(test)).filter((file) => /^incoming\/|\.(part|link)$/.test(file));
  expect(temporary).toEqual([]);
}

/** The value of a metric, summed over the label sets that contain `labels`. */
export async function metric(url: string, name: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
