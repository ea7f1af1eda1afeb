// Builds what browsers load and holds it against its budget: `npm run check:sizes`.
import { measureSizes } from './measure-sizes.ts';

const rows = await measureSizes();
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
for (const { name, gzip, brotli, limit } of rows) {
  const verdict = brotli > limit ? 'TOO LARGE' : '';
  const columns = [name.padEnd(46), kilobytes(gzip), kilobytes(brotli), `<= ${limit / 1024} KB`];
  console.log(columns.map((column) => column.padStart(10)).join('  '), verdict);
}
if (rows.some(({ brotli, limit }) => brotli > limit)) process.exitCode = 1;
