import { X509Certificate } from 'node:crypto';
import type { Algorithm, Signer } from '../../server/processing/shared/signer.ts';
import { asBlob, C2PA_SETTINGS, loadC2pa, withBlobs } from '../../server/processing/worker/signing/c2pa-library.ts';
import { signClaim } from '../../server/processing/worker/signing/sign-file.ts';
import { type CertificateChoice, makeCertificate } from './make-certificate.ts';

/** Content credentials of a file as the library reports them. */
export interface Report {
  validation_state: 'Invalid' | 'Valid' | 'Trusted';
  validation_status?: { code: string; explanation?: string }[];
  active_manifest: string;
  manifests: Record<string, ReportedManifest>;
}

/** A manifest of a {@link Report}. */
export interface ReportedManifest {
  claim_generator_info: { name: string; version?: string }[];
  ingredients: { relationship: string; title: string; format: string; active_manifest?: string }[];
  assertions: { label: string; data: Record<string, unknown> & { actions?: { action: string }[] } }[];
  signature_info: { alg: string; issuer: string; common_name?: string };
  redactions?: string[];
}

/** Data of a camera beside its signature. */
export interface CameraStatement {
  /** Assertions by label. */
  assertions?: Record<string, unknown>;
  /** JPEG of the picture. */
  thumbnail?: Buffer;
  certificate?: CertificateChoice;
}

/** Signs a file as the camera that took it. */
export async function signAsCamera(
  file: Buffer,
  mimeType: string,
  { assertions = {}, thumbnail, certificate }: CameraStatement = {},
): Promise<Buffer> {
  const { WasmBuilder } = await loadC2pa();
  const signer = makeSigner(certificate);
  const definition = { claim_generator_info: [{ name: 'Test Camera' }], title: 'IMG_1.jpg', format: mimeType };
  const builder = WasmBuilder.fromJson(JSON.stringify(definition), C2PA_SETTINGS);
  try {
    builder.setIntent({ create: 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture' });
    for (const [label, data] of Object.entries(assertions)) builder.addAssertion(label, data);
    const sign = async (claim: Uint8Array) => Uint8Array.from(signClaim(claim, signer));
    const definitionOfSigner = { alg: signer.algorithm, reserveSize: signClaim(new Uint8Array(), signer).length, sign };
    return await withBlobs(async () => {
      if (thumbnail) builder.setThumbnailFromBlob('image/jpeg', asBlob(thumbnail));
      return Buffer.from(await builder.sign(definitionOfSigner, [], mimeType, asBlob(file)));
    });
  } finally {
    builder.free();
  }
}

/** Makes a signer with a certificate of its own. */
export function makeSigner(choice: CertificateChoice = {}, algorithm: Algorithm = 'es256'): Signer {
  const { chain, key } = makeCertificate(choice);
  const blocks = chain.match(/-----BEGIN[\s\S]*?END CERTIFICATE-----/g) ?? [];
  const certificates = blocks.map((block) => new X509Certificate(block).raw.toString('base64'));
  return { algorithm, certificates, key, expiresAt: Date.now() + 1e9, identity: 'camera', version: '1' };
}

/** Reads and validates the content credentials of a file. @throws if it has none */
export async function readReport(file: Uint8Array, mimeType: string): Promise<Report> {
  const { WasmReader } = await loadC2pa();
  const reader = await WasmReader.fromBytes(mimeType, file, C2PA_SETTINGS);
  try {
    return JSON.parse(reader.json()) as Report;
  } finally {
    reader.free();
  }
}

/** Returns the manifest of the file itself. */
export function activeOf({ manifests, active_manifest }: Report): ReportedManifest {
  const found = manifests[active_manifest];
  if (!found) throw new Error('expected an active manifest');
  return found;
}

/** Returns the names of the actions of a manifest, in their order. */
export function actionsOf({ assertions }: ReportedManifest): string[] {
  return assertions.flatMap(({ data }) => data.actions?.map(({ action }) => action) ?? []);
}
