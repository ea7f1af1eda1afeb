// Three servers without a shared folder while servers, primaries and the file store go away: `npm run drill:cluster [minutes]`.

import { printFigures } from '../bench/support/table.ts';
import { runClusterDrill } from './cluster/run-drill.ts';

const MINUTE = 60_000;
const minutes = Number(process.argv[2] ?? 10);
const lastsMs = minutes * MINUTE;

const outcome = await runClusterDrill({
  lastsMs,
  clients: 20,
  killServerEveryMs: 20_000,
  changePrimaryEveryMs: MINUTE,
  storeAwayAtMs: [lastsMs * 0.3, lastsMs * 0.7],
  storeAwayMs: 10_000,
  report: console.log,
});
const { faults, audit, exports, images, files, spent, longestBreakMs } = outcome;
for (const fault of faults.slice(0, 50)) console.log(fault);
console.log(
  `${exports} exports, ${files} files; ${outcome.serversKilled} servers killed, ${outcome.primariesChanged} primaries changed, file store away ${outcome.storeOutages} times; ${outcome.repeated} requests repeated, ${outcome.resumed} streams resumed`,
);
const seconds = longestBreakMs / 1000;
printFigures(`${minutes} minutes of a cluster`, [
  { what: 'Faults that a client has seen', measured: `${faults.length}`, target: '0', met: faults.length === 0 },
  { what: 'Credits spent', measured: `${spent}`, target: `${images}`, met: spent === images },
  { what: 'Audit', measured: audit.ok ? 'sound' : audit.broken.join(', '), target: 'sound', met: audit.ok },
  { what: 'Longest break of a stream', measured: `${seconds.toFixed(1)} s`, target: '<= 20 s', met: seconds <= 20 },
]);
