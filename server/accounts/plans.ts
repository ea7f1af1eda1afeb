import { forEachLimit, PLAN_LIMIT_NAMES } from '#contract';
import { AppError } from '../errors.ts';
import type { AccountsConfig, Plan } from './config.ts';

/** Creates the table of plans from the settings. */
export function createPlans({ PLANS }: AccountsConfig) {
  const defaultName = Object.keys(PLANS)[0] as string;
  return {
    /** Default plan of a new account. */
    defaultName,

    /** Lists the plans in the order of the settings. */
    list: () => Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan, isDefault: name === defaultName })),

    /** Lists the limits that the default plan lacks, of those that it has without the setting. */
    missingLimits(): { plan: string; missing: string[] } {
      const plan = this.get(defaultName);
      const wanted = forEachLimit((_, { defaults }) => defaults.free);
      const missing = PLAN_LIMIT_NAMES.filter((name) => wanted[name] !== undefined && plan[name] === undefined);
      return { plan: defaultName, missing };
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
