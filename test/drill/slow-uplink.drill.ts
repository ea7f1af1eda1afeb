// Uploads over slow lines, as long as they take: `npm run drill:slow-uplink`. Nine minutes, mostly of waiting.

import { type Figure, printFigures } from '../bench/support/table.ts';
import { launchAnyBrowser } from '../support/find-browser.ts';
import { type Arrival, trickle, uploadLargeFile, uploadPhotographs } from './slow-uplink.ts';

const seconds = (value: number) => `${value.toFixed(0)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function figureOf(
  what: string,
  { bytes, seconds: took, images, carried, statuses }: Arrival,
  expected: number,
): Figure {
  const measured = `${images} of ${expected} in ${seconds(took)}, ${megabytes(carried)} sent, status ${statuses.join(', ')}`;
  return { what: `${what}, ${megabytes(bytes)}`, measured, target: `${expected}`, met: images === expected };
}

const browser = await launchAnyBrowser({ headless: true, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
try {
  const photographs = uploadPhotographs({ browser, count: 4 }, { env: {}, bytesPerSecond: 125_000 }).then((arrival) => {
    printFigures('Slow uplinks', [figureOf('4 photographs by the element at 1 Mbit/s', arrival, 4)]);
  });
  const large = uploadLargeFile({ width: 4000, height: 4126 }, { env: {}, bytesPerSecond: 100_000 }).then((arrival) => {
    printFigures('Slow uplinks', [figureOf('1 file by the SDK at 100 kB/s', arrival, 1)]);
  });
  const hostile = Promise.all([trickle({ wholeHead: true }), trickle({ wholeHead: false })]).then(([body, head]) => {
    printFigures('One byte each 20 s', [
      { what: 'in the body', measured: `cut after ${seconds(body)}`, target: '<= 70 s', met: body <= 70 },
      { what: 'in the head', measured: `cut after ${seconds(head)}`, target: '<= 15 s', met: head <= 15 },
    ]);
  });
  await Promise.all([photographs, large, hostile]);
} finally {
  await browser.close();
}
