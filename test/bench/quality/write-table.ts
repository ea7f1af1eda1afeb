import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { StartTable } from '../../../server/processing/worker/quality/codecs.ts';

const TABLE = fileURLToPath(new URL('../../../server/processing/worker/quality/start-table.ts', import.meta.url));

/** Writes the start table as a module. */
export async function writeTable(table: StartTable, versions: { sharp: string; libvips: string }): Promise<void> {
  const codecs = Object.entries(table).map(([name, { curve, starts, offset }]) => {
    const presets = Object.entries(starts).map(([preset, weights]) => `      ${preset}: ${inLine(weights)},\n`);
    return `  ${name}: {\n    offset: ${inLine(offset)},\n    curve: ${inLine(curve)},\n    starts: {\n${presets.join('')}    },\n  },\n`;
  });
  const text = `// Written by \`npm run fit:quality\`, which measures it; do not edit.
import type { StartTable } from './codecs.ts';

/** Versions of the image library that the table was fitted with. */
export const FITTED_WITH = { sharp: '${versions.sharp}', libvips: '${versions.libvips}' };

/** Start of a search: numbers of the encoders by traits of the image. */
export const START_TABLE: StartTable = {
${codecs.join('')}};
`;
  await writeFile(TABLE, text);
}

function inLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(',', ', ');
}
