/** A limit of a plan that its accounts use up. */
interface PlanLimit {
  readonly unit: 'images' | 'megabytes' | 'sessions';
  /** Counter of the images of a day (UTC); null for a limit of things that count until they are deleted. */
  readonly counter: string | null;
  /** Limit of the default plans; absent: none. */
  readonly defaults: { readonly free?: number; readonly agency?: number };
  /** Sentence of the settings and of the API that names the counted things. */
  readonly description: string;
}

/**
 * Limits of a plan that its accounts use up, in the order of pages. Settings, the API with its documents, and the dashboard
 * are made from it. Texts are in `widget/dashboard/texts/limit-texts.ts`.
 */
export const PLAN_LIMITS = {
  samplesPerDay: {
    unit: 'images',
    counter: 'samples',
    defaults: { free: 50 },
    description:
      'Images in samples, images that `onlySmaller` exported without a gain, and images that ended by a limit of time or memory; those in the cache do not count.',
  },
  analysesPerDay: {
    unit: 'images',
    counter: 'analyses',
    defaults: { free: 50 },
    description: 'Described images; those in the cache do not count.',
  },
  storageMb: {
    unit: 'megabytes',
    counter: null,
    defaults: { free: 2048 },
    description: 'Megabytes of uploads, previews, samples and results.',
  },
  sessions: {
    unit: 'sessions',
    counter: null,
    defaults: { free: 100 },
    description: 'Sessions that are neither deleted nor expired.',
  },
} as const satisfies { readonly [name: string]: PlanLimit };

/** Name of a limit of a plan. */
export type PlanLimitName = keyof typeof PLAN_LIMITS;

/** Limits of which images are counted by day. */
export type DailyLimitName = {
  [Name in PlanLimitName]: (typeof PLAN_LIMITS)[Name]['counter'] extends null ? never : Name;
}[PlanLimitName];

/** Name under which images of a day are counted. */
export type DailyCounter = (typeof PLAN_LIMITS)[DailyLimitName]['counter'];

/** Names of the limits, in the order of {@link PLAN_LIMITS}. */
export const PLAN_LIMIT_NAMES = Object.keys(PLAN_LIMITS) as PlanLimitName[];

/** Makes an object with a value for each limit. */
export function forEachLimit<Value>(make: (name: PlanLimitName, limit: PlanLimit) => Value): {
  [Name in PlanLimitName]: Value;
} {
  const entries = PLAN_LIMIT_NAMES.map((name) => [name, make(name, PLAN_LIMITS[name])]);
  return Object.fromEntries(entries) as { [Name in PlanLimitName]: Value };
}
