/** Score of an encoder by its number, ascending in both. */
export type Curve = readonly (readonly [number: number, score: number])[];

/** Target and start of a search. */
export interface NumberSearch {
  /** Score to reach. */
  aim: number;
  /** Number to try first. */
  start: number;
  /** Mean course of the score over the encoder's numbers, by which one score predicts another. */
  curve: Curve;
  bounds: { least: number; most: number };
  /** A score from `aim - below` to `aim + above` ends the search. */
  below: number;
  above: number;
  mostProbes: number;
  /** A score so near to the aim tells the next number well enough to end the search with it, without a probe. 0: none does. */
  trusted: number;
  /** Encodes with a number and scores the result. */
  probe: (number: number) => Promise<number>;
}

/** A number and its score. */
export interface Probe {
  number: number;
  score: number;
}

/** Result of a search. */
export interface FoundNumber {
  probes: Probe[];
  /** The number that should reach the aim. It was probed, unless the next probe would have been one too many. */
  number: number;
  /** Its score, predicted if it was not probed. */
  score: number;
}

/**
 * Searches the lowest number of an encoder that reaches a score: shifts the curve onto the scores that were measured, and interpolates
 * between two of them.
 */
export async function searchNumber(search: NumberSearch): Promise<FoundNumber> {
  const { aim, below, above, mostProbes, trusted, bounds, probe } = search;
  const probes: Probe[] = [];
  const isProbed = (one: number) => probes.some((known) => known.number === one);
  let number = within(search, search.start);
  let predicted = false;
  while (probes.length < mostProbes && !predicted && !isProbed(number)) {
    const score = await probe(number);
    probes.push({ number, score });
    if (score >= aim - below && score <= aim + above) return { probes, number, score };
    number = nextNumber(search, probes);
    // Whether the highest number reaches the aim has to be known.
    predicted = Math.abs(score - aim) <= trusted && number < bounds.most && !isProbed(number);
  }
  return { probes, number, score: expectedScore(search, probes, number) };
}

/** Predicts the score of a number from that of the nearest one. */
function expectedScore({ curve }: Pick<NumberSearch, 'curve'>, probes: Probe[], number: number): number {
  const nearest = probes.reduce((one, other) =>
    Math.abs(other.number - number) < Math.abs(one.number - number) ? other : one,
  );
  const change = scoreAt(curve, number) - scoreAt(curve, nearest.number);
  return nearest.score + slopeOf(curve, probes) * change;
}

/** Predicts from the scores so far which number reaches the aim. */
export function nextNumber(search: Pick<NumberSearch, 'aim' | 'curve' | 'bounds'>, probes: Probe[]): number {
  const { aim, curve, bounds } = search;
  const low = highest(probes.filter(({ score }) => score < aim));
  const high = lowest(probes.filter(({ score }) => score >= aim));
  // The curve is interpolated rather than the number, since it is steep below and flat above.
  const at = (probe: Probe) => scoreAt(curve, probe.number);
  // Never a number that is known to be too low.
  const above = (one: number) => within(search, Math.max(Math.ceil(one - 0.2), low ? low.number + 1 : bounds.least));
  if (low && high && low.number < high.number) {
    const share = (aim - low.score) / (high.score - low.score);
    return above(numberAt(curve, at(low) + share * (at(high) - at(low))));
  }
  const nearest = probes.reduce((one, other) =>
    Math.abs(other.score - aim) < Math.abs(one.score - aim) ? other : one,
  );
  const steepness = slopeOf(curve, probes);
  return above(numberAt(curve, at(nearest) + (aim - nearest.score) / steepness));
}

/** Steepness of the scores relative to the curve, from two of them; 1 with one alone. */
function slopeOf(curve: Curve, probes: Probe[]): number {
  const [first, second] = [lowest(probes), highest(probes)];
  if (!first || !second || first.number === second.number) return 1;
  const expected = scoreAt(curve, second.number) - scoreAt(curve, first.number);
  return Math.min(2, Math.max(0.5, (second.score - first.score) / expected));
}

const lowest = (probes: Probe[]) => probes.toSorted((one, other) => one.number - other.number)[0];
const highest = (probes: Probe[]) => probes.toSorted((one, other) => other.number - one.number)[0];

function within({ bounds }: Pick<NumberSearch, 'bounds'>, number: number): number {
  return Math.min(bounds.most, Math.max(bounds.least, Math.round(number)));
}

/** Returns the score of a number on a curve, extended beyond its ends. */
export function scoreAt(curve: Curve, number: number): number {
  const [from, to] = segment(curve, (point) => point[0] >= number);
  return from[1] + ((number - from[0]) * (to[1] - from[1])) / (to[0] - from[0]);
}

/** Returns the number of a score on a curve, extended beyond its ends. */
export function numberAt(curve: Curve, score: number): number {
  const [from, to] = segment(curve, (point) => point[1] >= score);
  return from[0] + ((score - from[1]) * (to[0] - from[0])) / (to[1] - from[1]);
}

function segment(curve: Curve, isBeyond: (point: Curve[number]) => boolean): [Curve[number], Curve[number]] {
  const found = curve.findIndex(isBeyond);
  const end = Math.max(1, found < 0 ? curve.length - 1 : found);
  return [curve[end - 1] as Curve[number], curve[end] as Curve[number]];
}
