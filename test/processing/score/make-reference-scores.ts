// Writes `reference-scores.json`: the score that the independent judge gives to each pair of `pairs.ts`.
//   npx tsx test/processing/score/make-reference-scores.ts
import { writeFileSync } from 'node:fs';
import { fetchDebianJudge } from '../../bench/quality/debian-judge.ts';
import { changedPairs } from './pairs.ts';

const judge = fetchDebianJudge();
if (judge) {
  const scores: Record<string, number> = {};
  for await (const { key, original, changed } of changedPairs()) scores[key] = await judge.score(original, changed);
  const file = new URL('reference-scores.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify({ judge: judge.name, scores }, null, 2)}\n`);
}
