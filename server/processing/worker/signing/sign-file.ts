import type { Signer } from '../../shared/signer.ts';
import { asBlob, C2PA_SETTINGS, type C2pa, OUTCOME, withBlobs } from './c2pa-library.ts';
import { signClaim } from './cose-signature.ts';

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
