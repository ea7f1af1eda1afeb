import type { ProbeOrder, Turn } from '../../server/processing/index.ts';

/** Returns the turn of a test's task. */
export const turnOf = (job = 'job', urgency: ReturnType<Turn['urgency']> = 'free', account = 'account'): Turn => ({
  account,
  job,
  urgency: () => urgency,
});

/** Returns the order to read a file's header; the file is known by its path. */
export const probeOf = (file: string, originalFilename = file): ProbeOrder => ({
  account: 'account',
  file,
  sha256: file,
  originalFilename,
});
