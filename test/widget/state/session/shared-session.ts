import type { Job } from '#contract';
import { createScriptedService, imageOf, jobOf, resultOf, type ScriptedService } from '../scripted-service.ts';
import { startOptimizer } from '../started-optimizer.ts';

/** Settings of an image's files, by its name alone. */
export const texts = (filename: string | null) => ({ filename, title: null, alt: null });
/** A result that says what it was made with. */
export const named = (id: string, filename: string | null = null) => resultOf(id, { metadata: texts(filename) });

/** A page that shows a session of images, before anything else happens to it. */
export async function openPage(service: ScriptedService, options: Parameters<typeof startOptimizer>[0] = {}) {
  const page = startOptimizer(options, { service });
  await page.optimizer.attach('sess_1');
  await page.env.advance(20);
  return page;
}

/** A service with a session of so many images. */
export function withImages(count = 3) {
  const service = createScriptedService();
  service.session.images = Array.from({ length: count }, (_, index) => imageOf(`img_${index + 1}`));
  return service;
}

/** Work of another page: a job, the newest of the session. */
export function elsewhere(service: ScriptedService, jobId: string, changes: Partial<Job> = {}) {
  const job = jobOf(jobId, changes);
  service.jobs.set(jobId, job);
  const { results: _, ...listed } = job;
  service.session.jobs = [listed, ...service.session.jobs.filter((known) => known.jobId !== jobId)];
}

/** The notice that says that another page was first. */
export const ELSEWHERE = { id: 'elsewhere', kind: 'warning', message: 'notice.elsewhere' };
