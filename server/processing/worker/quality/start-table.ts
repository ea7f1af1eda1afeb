// Written by `npm run fit:quality`, which measures it; do not edit.

import { createScorer, type Scorer } from '../score/index.ts';
import type { StartTable } from './codecs.ts';

/** Versions of the image library that the table was fitted with. */
export const FITTED_WITH = { sharp: '0.35.5', libvips: '1.3.4' };

/** Start of a search: numbers of the encoders by traits of the image. */
export const START_TABLE: StartTable = {
  webp: {
    offset: [0.122, 0.273, -1.903, 1.65, -0.242, 0.094],
    curve: [
      [25, 50.34],
      [60, 66.9],
      [84, 77.83],
      [96, 86.48],
    ],
    starts: {
      maximum: [95.954, -3.592, -2.092, 1.279, 0.556],
      very_high: [90.14, -9.513, -3.902, 2.66, 1.811],
      high: [76.942, -19.011, -3.448, 2.804, 3.598],
      medium: [55.563, -21.711, 0.198, 1.074, 5.522],
      low: [27.686, -11.933, 5.521, -0.805, 4.624],
      minimum: [23.383, -1.521, 0.309, 2.752, 1.032],
    },
  },
  jpeg420: {
    offset: [-2.845, 1.25, -0.643, 1.164, 0.017, 0.107],
    curve: [
      [22, 31.6],
      [55, 63.96],
      [80, 77.62],
      [95, 87.63],
    ],
    starts: {
      maximum: [87.336, -1.571, -1.478, 2.576, 1.695],
      very_high: [77.13, -2.595, -2.044, 3.905, 2.998],
      high: [65.511, -6.499, -2.248, 5.033, 3.853],
      medium: [53.893, -8.284, -1.057, 4.452, 4.089],
      low: [45.139, -10.018, -2.493, 5.253, 2.699],
      minimum: [35.549, -8.112, -2.162, 4.484, 0.111],
    },
  },
  jpeg444: {
    offset: [-3.312, 1.176, -0.067, 0.61, 0.007, 0.092],
    curve: [
      [22, 35.52],
      [55, 67.15],
      [80, 80.92],
      [95, 91.04],
    ],
    starts: {
      maximum: [86.421, -2.677, -1.531, 3.251, 0.483],
      very_high: [78.601, -5.179, -2.258, 5.007, 0.206],
      high: [68.229, -7.991, -3.293, 7.404, -0.203],
      medium: [57.988, -8.715, -3.102, 7.773, -0.593],
      low: [49.406, -10.127, -3.859, 7.041, -1.093],
      minimum: [35.541, -5.469, -3.257, 5.949, -1.662],
    },
  },
  avif420: {
    offset: [6.902, 4.002, -3.248, 1.667, -1.027, -0.236],
    curve: [
      [25, 44.63],
      [45, 68.83],
      [64, 79.88],
      [86, 87.06],
    ],
    starts: {
      maximum: [77.705, -11.665, -2.065, 3.224, 2.893],
      very_high: [57.61, -19.244, 1.863, 1.954, 4.014],
      high: [39.202, -16.699, 5.231, -0.11, 4.783],
      medium: [29.648, -12.028, 4.159, 3.016, 3.107],
      low: [22.898, -4.644, 2.894, 5.057, 0.945],
      minimum: [21.445, -0.704, 1.299, 4.488, 0.033],
    },
  },
  avif444: {
    offset: [5.885, 3.926, -2.91, 1.239, -0.544, -0.199],
    curve: [
      [25, 46.5],
      [45, 70.61],
      [64, 81.67],
      [86, 88.91],
    ],
    starts: {
      maximum: [81.585, -19.95, -1.002, 2.986, -0.221],
      very_high: [59.223, -19.573, 0.48, 4.733, 0.981],
      high: [42.76, -14.862, 2.501, 4.137, 1],
      medium: [31.217, -10.833, 2.677, 5.132, 1.294],
      low: [23.902, -3.994, 1.979, 5.988, 0.034],
      minimum: [21.719, -0.308, 1.151, 4.309, -0.114],
    },
  },
  palette: {
    offset: [],
    curve: [
      [2, 35.16],
      [3, 78.49],
    ],
    starts: {
      maximum: [3.177, -0.422, -0.036, 0.009, -0.029],
      very_high: [3.216, -0.551, -0.049, 0.004, -0.033],
      high: [3.126, -0.569, -0.056, 0.023, -0.024],
      medium: [2.935, -0.551, -0.048, 0.023, 0.006],
      low: [2.65, -0.487, -0.016, -0.015, 0.035],
      minimum: [2.262, -0.307, 0.025, -0.05, 0.058],
    },
  },
};

/** Means of a search: the scorer, and what was learnt of the encoders. */
export interface SearchTools {
  scorer: Scorer;
  table: StartTable;
}

let loaded: Promise<SearchTools> | undefined;

/** Loads the tools of the search, once in a process. */
export function loadSearchTools(): Promise<SearchTools> {
  loaded ??= createScorer().then((scorer) => ({ scorer, table: START_TABLE }));
  return loaded;
}
