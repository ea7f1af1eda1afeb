import { contentOf, SAMPLE_SUFFIX } from '#contract';
import type { OutputFile, OutputRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { filenameKey } from '../processing/index.ts';
import type { Sessions } from '../sessions/index.ts';
import { isSameFile } from './file-names.ts';

/** A file that may be downloaded. */
export interface FoundFile {
  file: OutputFile;
  /** Time for which the same address leads to the same bytes; absent: unknown. */
  lastsSeconds?: number;
}

interface WantedFile {
  accountId: string;
  /** Session, or `{sessionId}-sample`. */
  namespace: string;
  /** `<sha256>/<name>` for these bytes, `<name>` for the newest file that has or had this name. */
  filename: string;
}

interface FindDeps {
  sessions: Pick<Sessions, 'find'>;
  outputs: Pick<OutputRepository, 'findByName' | 'findByHash'>;
  now: () => Date;
}

/** Finds an exported file by the parameter of its address. @throws session_not_found, file_not_found */
export async function findFile(wanted: WantedFile, { sessions, outputs, now }: FindDeps): Promise<FoundFile> {
  const { accountId, namespace, filename } = wanted;
  const { expiresAt } = await sessions.find(accountId, namespace.replace(SAMPLE_SUFFIX, ''));
  const content = contentOf(filename);
  const name = filenameKey(content?.filename ?? filename);
  const record = content
    ? await outputs.findByHash(accountId, namespace, { sha256: content.sha256, name })
    : await outputs.findByName(accountId, namespace, name);
  const former = record?.former?.find(({ key }) => key === name);
  const named = record?.files.find((file) => (former ? isSameFile(file, former) : filenameKey(file.filename) === name));
  // Bytes are found under any name: of a file that was renamed often, the first names are given up.
  const isWanted = (file: OutputFile | undefined) => !content || file?.sha256 === content.sha256;
  const file = isWanted(named) ? named : record?.files.find(isWanted);
  if (!file) throw new AppError('file_not_found', `No exported file of that name in ${namespace}`);
  const lastsSeconds = Math.max(0, Math.floor((expiresAt.getTime() - now().getTime()) / 1000));
  return content ? { file, lastsSeconds } : { file };
}
