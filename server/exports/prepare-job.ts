import { type ExportRequest, SAMPLE_IMAGE_LIMIT, SAMPLE_SUFFIX } from '#contract';
import type { ImageRecord, JobImage, JobRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { textsOf } from './request-metadata.ts';

/** Namespace that a job's files belong to: samples have their own, so they never meet full exports. */
export function namespaceOf(job: Pick<JobRecord, 'kind' | 'sessionId'>): string {
  return job.kind === 'sample' ? job.sessionId + SAMPLE_SUFFIX : job.sessionId;
}

/**
 * Checks what a request asks for against what the session holds.
 * @param images every image of the session
 * @throws session_mismatch, duplicate_image, sample_limit_exceeded, image_not_found, upload_path_mismatch
 */
export function resolveImages(
  request: ExportRequest,
  context: { kind: 'export' | 'sample'; sessionId: string; images: ImageRecord[] },
): JobImage[] {
  const { kind, sessionId, images } = context;
  if (request.sessionId !== undefined && request.sessionId !== sessionId) {
    throw new AppError(
      'session_mismatch',
      `sessionId: expected ${sessionId} as in the path, but received ${request.sessionId}`,
    );
  }
  if (kind === 'sample' && request.images.length > SAMPLE_IMAGE_LIMIT) {
    throw new AppError(
      'sample_limit_exceeded',
      `A sample takes at most ${SAMPLE_IMAGE_LIMIT} images, but the request has ${request.images.length}`,
      { details: { limit: SAMPLE_IMAGE_LIMIT, received: request.images.length } },
    );
  }
  const byId = new Map(images.map((image) => [image._id, image]));
  const seen = new Set<string>();
  const { language } = request.settings;
  const isSelective = kind === 'export' && request.settings.onlySmaller === true;
  return request.images.map((wanted, index) => {
    if (seen.has(wanted.id)) {
      throw new AppError('duplicate_image', `images[${index}].id: ${wanted.id} occurs twice`, {
        details: { imageId: wanted.id },
      });
    }
    seen.add(wanted.id);
    const image = byId.get(wanted.id);
    if (!image) {
      throw new AppError('image_not_found', `images[${index}].id: no image ${wanted.id} in session ${sessionId}`, {
        details: { imageId: wanted.id },
      });
    }
    if (wanted.uploadPath !== undefined && wanted.uploadPath !== image.uploadPath) {
      throw new AppError(
        'upload_path_mismatch',
        `images[${index}].uploadPath: expected the uploadPath of image ${wanted.id} as the upload answered it`,
        { details: { imageId: wanted.id } },
      );
    }
    const { renames } = image;
    const { focalPoint } = wanted;
    const texts = {
      ...{ imageId: image._id, ...textsOf(wanted.metadata, image, language) },
      ...(renames ? { renames } : {}),
      ...(focalPoint ? { focalPoint } : {}),
    };
    return isSelective ? { ...texts, replaces: wanted.replaces ?? [] } : texts;
  });
}
