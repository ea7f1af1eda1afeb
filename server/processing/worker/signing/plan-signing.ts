import type { WarningCode } from '#contract';
import { type EncodedFormat, type InputFormat, PRESET_TARGETS } from '#contract/constants';
import { ProcessingFailure } from '../../shared/failure.ts';
import type { RenderTask } from '../../shared/protocol.ts';
import { isSignable, type Signer } from '../../shared/signer.ts';
import { mimeTypeOf } from '../../shared/variants.ts';
import { withListOfLonger } from '../hdr/gain-map.ts';
import { readCredentialContent } from '../metadata/credential-kinds.ts';
import { type C2pa, dropC2pa, loadC2pa } from './c2pa-library.ts';
import { type Credentials, readCredentials, signFile } from './sign-file.ts';

/** Size, changes and quality of an exported file, for its actions and assertion. */
export interface Changes {
  width: number;
  height: number;
  resized: boolean;
  cropped: boolean;
  /** The encoder's quality; null: the pixels were not encoded again. */
  quality: number | 'lossless' | null;
  score: number | null;
}

/** A file with its content credentials, or without them and with a warning that says so. */
export interface Finished {
  data: Buffer;
  warnings: WarningCode[];
}

/** Outcome of the content credentials of an image. */
export interface SigningPlan {
  /** Signs a file that was changed. @throws signing_failed */
  finish: (file: Buffer, changes: Changes) => Promise<Finished>;
}

const unsigned = (...warnings: WarningCode[]): SigningPlan => ({
  finish: async (data) => ({ data, warnings }),
});

/** Plans what becomes of the content credentials of an upload. @param carries true if it has some. @throws signing_failed */
export async function planSigning(
  upload: Buffer,
  carries: boolean,
  task: RenderTask,
  format: EncodedFormat,
): Promise<SigningPlan> {
  const { signer, facts, preset, metadata } = task;
  if (!carries || metadata === 'none') return unsigned();
  if (!signer || !isSignable(format)) return unsigned('content_credentials_dropped');
  refuseExpired(signer);
  const c2pa = await loadC2pa();
  const mimeType = mimeTypeOf(facts.format);
  const found = await readOrNull(c2pa, mimeType, upload);
  if (!found?.valid) return unsigned('content_credentials_invalid', 'content_credentials_dropped');
  const parent = { file: upload, mimeType, privateAssertions: found.privateAssertions };
  return {
    async finish(file, changes) {
      const { quality, score, width, height } = changes;
      const outcome = { preset, target: PRESET_TARGETS[preset], score, quality, width, height };
      const actions = actionsOf(changes, facts.format !== format);
      const order = { mimeType: mimeTypeOf(format), parent, outcome, actions };
      const sign = (unsigned: Buffer) => signOrFail(() => signFile(c2pa, unsigned, order, signer));
      const signed = await sign(file);
      // The list of images counts the bytes of the signature, and is itself signed.
      const listed = format === 'jpeg' ? withListOfLonger(file, signed) : null;
      const data = listed ? await sign(listed) : signed;
      // Actions cannot be redacted, and may say where they were done.
      if (readCredentialContent(format, data).isPrivate)
        return { data: file, warnings: ['content_credentials_dropped'] };
      return { data, warnings: [] };
    },
  };
}

/** Returns true if a file lost its content credentials. */
export function isLostIn({ warnings }: Pick<Finished, 'warnings'>): boolean {
  return warnings.includes('content_credentials_dropped');
}

/** Returns a file whose signature would take too many bytes. @param file before it was signed */
export function withoutSignature(file: Buffer, signed: Finished): Finished {
  return signed.data === file ? signed : { data: file, warnings: ['content_credentials_dropped'] };
}

/** Returns true if the content credentials of a file are valid. @param format of the file */
export async function hasValidCredentials(file: Buffer, format: InputFormat): Promise<boolean> {
  const found = await readOrNull(await loadC2pa(), mimeTypeOf(format), file);
  return found?.valid ?? false;
}

function refuseExpired({ expiresAt }: Signer): void {
  if (Date.now() <= expiresAt) return;
  const day = new Date(expiresAt).toISOString().slice(0, 10);
  const message =
    `Content credentials cannot be signed, since the certificate of the service expired on ${day}; ` +
    'settings.metadata: "none" exports the image without them';
  throw new ProcessingFailure('signing_failed', message);
}

async function signOrFail(sign: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await sign();
  } catch (error) {
    giveUpAfterPanic(error);
    const cause = error instanceof Error ? error : new Error(String(error));
    throw new ProcessingFailure('signing_failed', 'The content credentials of the file could not be signed', {}, cause);
  }
}

/** Reads the credentials of an upload; null: they are not in the form of the standard. */
async function readOrNull(c2pa: C2pa, mimeType: string, upload: Buffer): Promise<Credentials | null> {
  try {
    return await readCredentials(c2pa, mimeType, upload);
  } catch (error) {
    giveUpAfterPanic(error);
    return null;
  }
}

/** The library throws texts; anything else is a panic. */
function giveUpAfterPanic(error: unknown): void {
  if (typeof error !== 'string') dropC2pa();
}

function actionsOf({ resized, cropped, quality }: Changes, converted: boolean): string[] {
  return [
    ...(cropped ? ['c2pa.cropped'] : []),
    ...(resized ? ['c2pa.resized'] : []),
    ...(converted ? ['c2pa.converted'] : [quality === null ? 'c2pa.edited.metadata' : 'c2pa.transcoded']),
  ];
}
