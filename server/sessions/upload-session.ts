import { ERROR_CATALOGUE, type Image, type Rejected, type UploadMetadata } from '#contract';
import { INFORMATION, type InformationKind } from '#contract/constants';
import type { ImageRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { derivedId } from '../ids.ts';
import { extensionOf, type Processor, rowOf } from '../processing/index.ts';
import { type ObjectStore, uploadKey } from '../storage/index.ts';
import { metadataFromUser, showDescribed } from './image-texts.ts';

/** A file that was received into a temporary file, or refused while it was received. */
export type UploadedFile =
  | { originalFilename: string; file: string; size: number; sha256: string }
  | { originalFilename: string; refused: AppError };

/** Files of an upload, and the caller's metadata in the same order. */
export interface Upload {
  files: UploadedFile[];
  metadata?: UploadMetadata;
}

/** A file that was inspected and accepted. */
export interface AcceptedFile {
  file: string;
  record: Omit<ImageRecord, 'accountId' | 'sessionId' | 'position' | 'uploadPath'>;
  /** Place in the session that the caller wants; null: behind the others. */
  position: number | null;
}

/** Headers read at once; one worker queue reads them all, so more gains nothing. */
const PROBES_AT_ONCE = 4;

/** Reads every file's header and splits the files into accepted and rejected ones, in order. */
export async function inspectUpload(
  upload: Upload,
  deps: { account: string; processor: Processor; work: { id: string } },
): Promise<{ accepted: AcceptedFile[]; rejected: Rejected[]; firstError: AppError | null }> {
  const outcomes = new Array<AcceptedFile | AppError>(upload.files.length);
  const pending = upload.files.map((file, index) => ({ file, index }));
  const inspectNext = async (): Promise<void> => {
    for (let next = pending.shift(); next; next = pending.shift()) {
      outcomes[next.index] = await inspect(next.file, upload.metadata?.[next.index] ?? null, {
        ...deps,
        imageId: derivedId('img', `${deps.work.id} ${next.index}`),
      });
    }
  };
  await Promise.all(Array.from({ length: PROBES_AT_ONCE }, inspectNext));

  const accepted: AcceptedFile[] = [];
  const rejected: Rejected[] = [];
  let firstError: AppError | null = null;
  for (const [index, outcome] of outcomes.entries()) {
    if (!(outcome instanceof AppError)) {
      accepted.push(outcome);
      continue;
    }
    firstError ??= outcome;
    rejected.push({
      ...outcome.details,
      originalFilename: upload.files[index]?.originalFilename ?? '',
      clientRef: upload.metadata?.[index]?.clientRef ?? null,
      status: ERROR_CATALOGUE[outcome.code].status,
      code: outcome.code,
      error: outcome.message,
    });
  }
  return { accepted, rejected, firstError };
}

async function inspect(
  upload: UploadedFile,
  said: UploadMetadata[number],
  { account, processor, imageId }: { account: string; processor: Processor; imageId: string },
): Promise<AcceptedFile | AppError> {
  if ('refused' in upload) return upload.refused;
  const { file, originalFilename, size, sha256 } = upload;
  try {
    const facts = await processor.probe({ account, file, sha256, originalFilename });
    const { clientRef = null, position = null, ...edited } = said ?? {};
    const metadata = Object.keys(edited).length > 0 ? metadataFromUser(null, edited) : null;
    return {
      file,
      position,
      record: { _id: imageId, originalFilename, size, sha256, clientRef, metadata, metadataVersion: 0, ...facts },
    };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error;
    throw error;
  }
}

/** Moves accepted files to their place and returns the records to insert. */
export async function placeFiles(
  accepted: AcceptedFile[],
  where: { accountId: string; sessionId: string; firstPosition: number },
  store: ObjectStore,
): Promise<ImageRecord[]> {
  const records: ImageRecord[] = [];
  for (const [index, { file, record, position }] of accepted.entries()) {
    const uploadPath = uploadKey(where.sessionId, record._id, extensionOf(record.format));
    const { size, sha256, mimeType: contentType } = record;
    await store.putFile(uploadPath, file, { size, sha256, contentType, isSource: true });
    records.push({
      ...record,
      accountId: where.accountId,
      sessionId: where.sessionId,
      position: position ?? where.firstPosition + index,
      uploadPath,
    });
  }
  return records;
}

function showCarried(kind: InformationKind) {
  return { kind, keptBy: INFORMATION[kind], droppedIn: Object.keys(rowOf(kind).dropped) };
}

/** Converts a stored image to the form of the API. */
export function showImage(record: ImageRecord): Image {
  return {
    id: record._id,
    originalFilename: record.originalFilename,
    uploadPath: record.uploadPath,
    mimeType: record.mimeType,
    format: record.format,
    size: record.size,
    sha256: record.sha256,
    width: record.width,
    height: record.height,
    hasAlpha: record.hasAlpha,
    pages: record.pages,
    clientRef: record.clientRef,
    position: record.position,
    ...(record.carries ? { carries: record.carries.map(showCarried) } : {}),
    warnings: record.warnings,
    ...showDescribed(record),
  };
}
