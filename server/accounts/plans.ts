import { AppError } from '../errors.ts';
import type { AccountsConfig, Plan } from './config.ts';

/** Limits that a plan should have if sign-up is open. */
const LIMITS = ['samplesPerDay', 'analysesPerDay', 'storageMb', 'sessions'] as const;

/** Creates the table of plans from the settings. */
export function createPlans({ PLANS }: AccountsConfig) {
  const defaultName = Object.keys(PLANS)[0] as string;
  return {
    /** Default plan of a new account. */
    defaultName,

    /** Lists the plans in the order of the settings. */
    list: () => Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan, isDefault: name === defaultName })),

    /** Lists the limits that the default plan lacks. */
    missingLimits(): { plan: string; missing: string[] } {
      const plan = this.get(defaultName);
      return { plan: defaultName, missing: LIMITS.filter((name) => plan[name] === undefined) };
    },

    /** Returns a plan; the default plan if the settings no longer contain it. */
    get(name: string): Plan {
      const found = Object.hasOwn(PLANS, name) ? PLANS[name] : PLANS[defaultName];
      return found as Plan;
    },

    /** Returns a plan. @throws AppError invalid_request if it is unknown */
    require(name: string): Plan {
      if (!Object.hasOwn(PLANS, name)) {
        throw new AppError(
          'invalid_request',
          `expected plan to be one of ${Object.keys(PLANS).join(', ')}, but received ${JSON.stringify(name)}`,
        );
      }
      return this.get(name);
    },
  };
}

/** Table of plans. */
export type Plans = ReturnType<typeof createPlans>;
