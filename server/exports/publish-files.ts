import { createHash } from 'node:crypto';
import type {
  CachedVariantRecord,
  HeldFile,
  ImageRecord,
  JobImage,
  JobRecord,
  OutputFile,
  OutputRepository,
  SessionRepository,
} from '../db/index.ts';
import { lacksOf } from '../processing/index.ts';
import { createNamePlanner, type NamedVariant, type PlannedNames } from './file-names.ts';
import { namespaceOf } from './prepare-job.ts';

/** One image of a job, with the files to publish. */
export interface PublishTask {
  job: JobRecord;
  image: ImageRecord;
  requested: JobImage;
  files: NamedVariant[];
  /** Owner of the file names: namespace and image. */
  owner: string;
  /** Changed if another image has taken one of them. */
  names: PlannedNames;
}

interface PublishDeps {
  outputs: OutputRepository;
  sessions: Pick<SessionRepository, 'addBytes'>;
  /** True while a backup needs every file; a replaced file goes with its session then. */
  keepsFiles: () => Promise<boolean>;
  now: () => Date;
}

/** Files of one image that have been published. */
export interface Publication {
  files: OutputFile[];
  /** Keeps the files: removes copies that they have replaced. `collect` removes files that nothing else holds. */
  settle: (collect: (paths: string[]) => Promise<unknown>) => Promise<void>;
  /** Takes the publication back: the files may have been removed before they were published. */
  withdraw: () => Promise<void>;
}

interface SizedFile extends HeldFile {
  size: number;
}

/**
 * Publishes files under the names of their image. Files that it was exported as before remain, so that each address that was told
 * leads to its bytes.
 */
export async function publishFiles(
  task: PublishTask,
  records: CachedVariantRecord[],
  deps: PublishDeps,
): Promise<Publication> {
  const { outputs, sessions, now } = deps;
  const { job, owner } = task;
  const { accountId, sessionId } = job;
  const namespace = namespaceOf(job);
  const number = await reserveNames(task, outputs);
  const files = records.map(
    ({ path, size, width, height, mimeType, sha256, warnings }, index): OutputFile => ({
      variant: task.files[index]?.name ?? '',
      filename: task.names.filenames[index] ?? '',
      ...{ path, size, width, height, mimeType, sha256 },
      ...lacksOf({ warnings }),
    }),
  );
  const _id = `${owner}:${hashOf(files)}`;
  const contents = records.map((record) => record._id);
  /** Counts the files that no other record of the session holds, first what is added: a crash leaves the count too high, never too low. */
  const count = async (changed: SizedFile[], sign: 1 | -1) => {
    if (changed.length === 0) return;
    const held = await outputs.heldByOthers(sessionId, _id, changed);
    const bytes = changed.reduce((sum, { path, size }) => (held.has(path) ? sum : sum + size), 0);
    if (bytes > 0) await sessions.addBytes({ _id: sessionId, accountId }, sign * bytes);
  };
  const current = sizedFiles({ files, contents });
  const known = sizedFiles(await outputs.find(_id));
  const added = without(current, known);
  await count(added, 1);
  const published = { _id, accountId, sessionId, namespace, names: task.names.keys, files, contents, number };
  const { before, version } = await outputs.publish({ ...published, updatedAt: now() });
  return {
    files,
    async settle(collect) {
      const replaced = without(sizedFiles(before), current);
      const paths = replaced.map(({ path }) => path);
      if (paths.length > 0 && !(await deps.keepsFiles())) await collect(paths);
      await count(replaced, -1);
    },
    async withdraw() {
      if (await outputs.withdraw(_id, version, before)) await count(added, -1);
    },
  };
}

/** Reserves the planned names, or others if another image took one of them after they were planned. @returns the number of the publication */
async function reserveNames(task: PublishTask, outputs: OutputRepository): Promise<number> {
  const { job, owner, image, requested, files } = task;
  const { accountId, sessionId } = job;
  const namespace = namespaceOf(job);
  for (;;) {
    const number = await outputs.reserve({ _id: owner, accountId, sessionId, namespace }, task.names.keys);
    if (number !== 'taken') return number;
    const plan = createNamePlanner(await outputs.namesOf(namespace));
    task.names = plan({ owner, wanted: requested.filename, originalFilename: image.originalFilename, files });
  }
}

/** Hashes names and contents of files: an equal publication is the same one. */
function hashOf(files: OutputFile[]): string {
  const facts = files.map(({ variant, filename, sha256 }) => [variant, filename, sha256]);
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 24);
}

/** Lists the files of a record, each once. Records of early versions name no contents and were not counted. */
function sizedFiles(record: { files: OutputFile[]; contents?: string[] | undefined } | null): SizedFile[] {
  const sized = (record?.contents ?? []).flatMap((content, index) => {
    const file = record?.files[index];
    return file ? [{ content, path: file.path, size: file.size }] : [];
  });
  return [...new Map(sized.map((file) => [file.path, file])).values()];
}

function without(files: SizedFile[], others: SizedFile[]): SizedFile[] {
  const paths = new Set(others.map(({ path }) => path));
  return files.filter(({ path }) => !paths.has(path));
}
