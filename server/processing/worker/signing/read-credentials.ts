import { C2PA_SETTINGS, type C2pa } from './c2pa-library.ts';

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
  assertions?: { label: string; instance?: number }[];
  ingredients?: { label?: string; thumbnail?: { identifier?: string } }[];
}

/** Assertions that stay: what was done, by which program, whose work it is and what may be done with it. Any other may be private. */
const PUBLIC =
  /^(?:c2pa\.(?:actions|hash|ingredient|soft-binding|training-mining|certificate-status|time-stamp)|cawg\.(?:identity|training-mining)|stds\.schema-org\.CreativeWork|io\.imagewright\.)/;

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

function privateOnes(manifest: string, { thumbnail, assertions = [], ingredients = [] }: Manifest): string[] {
  const pictures = [thumbnail, ...ingredients.map((one) => one.thumbnail)].flatMap((one) => one?.identifier ?? []);
  const metadata = assertions
    .filter(({ label }) => !PUBLIC.test(label))
    .map(
      ({ label, instance = 0 }) => `/c2pa/${manifest}/c2pa.assertions/${label}${instance > 0 ? `__${instance}` : ''}`,
    );
  return [
    ...pictures.filter((uri) => uri.startsWith('self#jumbf=/c2pa/')),
    ...metadata.map((path) => `self#jumbf=${path}`),
  ];
}
