import { constants, createPrivateKey, sign } from 'node:crypto';
import { encode } from 'cborg';
import sharp from 'sharp';
import { ALGORITHMS, type Signer } from '../../shared/signer.ts';
import { tellsPrivate } from '../metadata/credential-kinds.ts';
import { asBlob, C2PA_SETTINGS, type C2pa, loadC2pa, OUTCOME, withBlobs } from './c2pa-library.ts';
import { isPublicAssertion } from './public-assertions.ts';

/** Content of the manifest of a signed file: its actions, its parent and the own assertion. */
export interface SigningOrder {
  mimeType: string;
  /** Actions of C2PA 2.2, 18.15, in their order. */
  actions: string[];
  /** Upload; absent only in a trial. */
  parent?: { file: Uint8Array; mimeType: string; privateAssertions: string[] };
  /** Own assertion. */
  outcome?: Record<string, unknown>;
}

const CREATED = 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCreation';

/** Signs a file, with its upload as the parent. @throws string | Error of the library */
export async function signFile(c2pa: C2pa, file: Uint8Array, order: SigningOrder, signer: Signer): Promise<Buffer> {
  const { mimeType } = order;
  const builder = createBuilder(c2pa, order, signer);
  try {
    const sign = async (claim: Uint8Array) => Uint8Array.from(signClaim(claim, signer));
    const reserveSize = signClaim(new Uint8Array(), signer).length;
    return await withBlobs(async () => {
      if (order.parent) await addParent(builder, order.parent);
      return Buffer.from(await builder.sign({ alg: signer.algorithm, reserveSize, sign }, [], mimeType, asBlob(file)));
    });
  } finally {
    builder.free();
  }
}

type Builder = ReturnType<C2pa['WasmBuilder']['fromJson']>;

/** Name of the upload within the definition. */
const PARENT = 'upload';

function createBuilder(
  { WasmBuilder }: C2pa,
  { mimeType, actions, parent, outcome }: SigningOrder,
  { version }: Signer,
): Builder {
  const redactions = parent?.privateAssertions ?? [];
  const all = [
    parent
      ? { action: 'c2pa.opened', parameters: { ingredientIds: [PARENT] } }
      : { action: 'c2pa.created', digitalSourceType: CREATED },
    ...redactions.map((redacted) => ({
      action: 'c2pa.redacted',
      reason: 'c2pa.PII.present',
      parameters: { redacted },
    })),
    ...actions.map((action) => ({ action })),
  ];
  const definition = {
    claim_generator_info: [{ name: 'Imagewright', version }],
    format: mimeType,
    // One list: some validators want to find the beginning in each.
    assertions: [
      { label: 'c2pa.actions.v2', data: { actions: all } },
      ...(outcome ? [{ label: OUTCOME, data: outcome }] : []),
    ],
    ...(redactions.length > 0 ? { redactions } : {}),
  };
  return WasmBuilder.fromJson(JSON.stringify(definition), C2PA_SETTINGS);
}

function addParent(builder: Builder, { file, mimeType }: NonNullable<SigningOrder['parent']>): Promise<void> {
  const ingredient = { relationship: 'parentOf', title: 'Upload', format: mimeType, label: PARENT };
  return builder.addIngredientFromBlob(JSON.stringify(ingredient), mimeType, asBlob(file));
}

/** Header parameters (RFC 9052, RFC 9360). */
const ALGORITHM = 1;
const CERTIFICATES = 33;
/** Tag 18 of CBOR. */
const SIGN1 = Buffer.from([0xd2]);

/**
 * Signs a claim as COSE_Sign1 (RFC 9052, 4.2) with a detached payload and the certificates in the protected header, as C2PA 2.2, 13.2
 * wants it. The length is the same for every claim.
 */
export function signClaim(claim: Uint8Array, signer: Signer): Buffer {
  const certificates = signer.certificates.map((der) => Buffer.from(der, 'base64'));
  const { cose } = ALGORITHMS[signer.algorithm];
  const header = encode(
    new Map<number, unknown>([
      [ALGORITHM, cose],
      [CERTIFICATES, certificates.length === 1 ? certificates[0] : certificates],
    ]),
  );
  const signed = encode(['Signature1', header, new Uint8Array(), claim]);
  return Buffer.concat([SIGN1, encode([header, new Map(), null, rawSignature(signed, signer)])]);
}

function rawSignature(data: Uint8Array, { key, algorithm }: Signer): Buffer {
  const { hash } = ALGORITHMS[algorithm];
  const isPss = algorithm.startsWith('ps');
  return sign(hash, data, {
    key: createPrivateKey(key),
    dsaEncoding: 'ieee-p1363',
    ...(isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {}),
  });
}

/** Content credentials of a file. */
export interface Credentials {
  /** True if signature and hashes are right, and the file is the one that was signed. Whether the signer is trusted is not asked. */
  valid: boolean;
  /** Codes of C2PA 2.2, 15.2, of what is wrong. */
  failures: string[];
  /** References of assertions that may tell or show what exports remove: places, devices, names, pictures. */
  privateAssertions: string[];
}

/** Part of the library's report that is read here. */
interface Report {
  validation_state?: string;
  validation_status?: { code: string; explanation?: string }[];
  manifests: Record<string, Manifest>;
}

interface Manifest {
  thumbnail?: { identifier?: string };
  assertions?: { label: string; instance?: number; data?: unknown }[];
  ingredients?: { label?: string; thumbnail?: { identifier?: string } }[];
}

/** Reads and validates the content credentials of a file. @throws string | Error if they cannot be read */
export async function readCredentials({ WasmReader }: C2pa, mimeType: string, file: Uint8Array): Promise<Credentials> {
  const reader = await WasmReader.fromBytes(mimeType, file, C2PA_SETTINGS);
  try {
    const { validation_state, validation_status = [], manifests } = JSON.parse(reader.json()) as Report;
    return {
      valid: validation_state === 'Valid' || validation_state === 'Trusted',
      failures: validation_status.map(({ code, explanation }) => (explanation ? `${code}: ${explanation}` : code)),
      privateAssertions: Object.entries(manifests).flatMap(([label, manifest]) => privateOnes(label, manifest)),
    };
  } finally {
    reader.free();
  }
}

/** Assertions that the standard does not let redact. A file with private ones is not signed. */
const UNREDACTABLE = /^c2pa\.(?:actions|hash)/;

function privateOnes(manifest: string, { thumbnail, assertions = [], ingredients = [] }: Manifest): string[] {
  const pictures = [thumbnail, ...ingredients.map((one) => one.thumbnail)].flatMap((one) => one?.identifier ?? []);
  const metadata = assertions
    .filter(({ label, data }) => !isPublicAssertion(label) || (tellsPrivate(data) && !UNREDACTABLE.test(label)))
    .map(
      ({ label, instance = 0 }) => `/c2pa/${manifest}/c2pa.assertions/${label}${instance > 0 ? `__${instance}` : ''}`,
    );
  return [
    ...pictures.filter((uri) => uri.startsWith('self#jumbf=/c2pa/')),
    ...metadata.map((path) => `self#jumbf=${path}`),
  ];
}

/** Signs a tiny image and reads it back. @returns what is wrong with the signature; nothing if it is valid */
export async function trySigner(signer: Signer): Promise<string[]> {
  const c2pa = await loadC2pa();
  const image = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  try {
    const signed = await signFile(c2pa, image, { mimeType: 'image/png', actions: [] }, signer);
    const { valid, failures } = await readCredentials(c2pa, 'image/png', signed);
    return valid ? [] : [...failures, 'not valid'].slice(0, Math.max(1, failures.length));
  } catch (error) {
    return [String(error)];
  }
}
