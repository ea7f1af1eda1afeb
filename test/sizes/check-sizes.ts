// Builds what browsers load and holds it against its budget: `npm run check:sizes`.
import { measureSizes } from './measure-sizes.ts';

const rows = await measureSizes();
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
for (const { name, gzip, brotli, aim, limit } of rows) {
  const verdict = gzip > limit ? `TOO LARGE: at most ${kilobytes(limit)}` : gzip > aim ? 'aim missed' : '';
  const columns = [name.padEnd(46), kilobytes(gzip), kilobytes(brotli), `<= ${aim / 1024} KB`];
  console.log(columns.map((column) => column.padStart(10)).join('  '), verdict);
}
if (rows.some(({ gzip, limit }) => gzip > limit)) process.exitCode = 1;
