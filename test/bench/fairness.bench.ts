// A paid export while free samples are asked for without end, against the same export alone. `npm run bench:fairness`
import {
  type AttackedService,
  attackBySamples,
  photographOf,
  secondsOfExport,
  startAttackedService,
} from '../attacks/attacked-service.ts';
import { type Figure, median, printFigures, ROUNDS } from './support/table.ts';

const FORMATS = ['webp', 'jpeg', 'avif'] as const;
const LARGEST_RATIO = 3;

const ofVictim = await photographOf(12);
const ofAttacker = await photographOf(24);
const small = await photographOf(2);

async function middleOf({ victim }: AttackedService, format: (typeof FORMATS)[number]): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) seconds.push(await secondsOfExport(victim, ofVictim, format));
  return median(seconds);
}

async function measure(service: AttackedService): Promise<Record<string, number>> {
  const measured: Record<string, number> = {};
  for (const format of FORMATS) measured[format] = await middleOf(service, format);
  return measured;
}

const idle = await startAttackedService({ attackers: 0 });
await measure(idle);
const alone = await measure(idle);
await idle.close();

const figures: Figure[] = FORMATS.map((format) => ({
  what: `${format}, alone`,
  measured: `${alone[format]?.toFixed(2)} s`,
  target: '',
}));
for (const attackers of [1, 10]) {
  for (const { requests, images, photograph, name } of [
    { requests: 24, images: 1, photograph: ofAttacker, name: '24 samples of 24 megapixels' },
    { requests: 400, images: 5, photograph: small, name: '400 samples of 5 images' },
  ]) {
    const service = await startAttackedService({ attackers });
    const attack = await attackBySamples(service.attackers, photograph, { requests, images });
    const measured = await measure(service);
    await attack.stop();
    await service.close();
    for (const format of FORMATS) {
      const ratio = (measured[format] ?? Number.NaN) / (alone[format] ?? Number.NaN);
      figures.push({
        what: `${format}, ${name}, accounts: ${attackers}`,
        measured: `${measured[format]?.toFixed(2)} s = ${ratio.toFixed(2)} x`,
        target: `<= ${LARGEST_RATIO} x`,
        met: ratio <= LARGEST_RATIO,
      });
    }
  }
}
const limited = await startAttackedService({ attackers: 1, hasLimits: true });
const attack = await attackBySamples(limited.attackers, small, { requests: 400, images: 5 });
await measure(limited);
await attack.ended;
await limited.close();
// By the day's limit, or before it by the limit of jobs at once.
const refused = attack.statuses.filter((status) => status === 429).length;
figures.push({
  what: '400 samples of 5 images with the limits of the free plan: refused by them',
  measured: String(refused),
  target: '390',
  met: refused === 390,
});
printFigures(`One 12-megapixel photograph, paid, median of ${ROUNDS}`, figures);
