import { AppError } from '../errors.ts';
import type { AccountsConfig, Plan } from './config.ts';

/** Makes the table of plans from the settings. */
export function createPlans({ PLANS }: AccountsConfig) {
  const defaultName = Object.keys(PLANS)[0] as string;
  return {
    /** The plan of an account that names none. */
    defaultName,

    /** Every plan, in the order of the settings. */
    list: () => Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan, isDefault: name === defaultName })),

    /** The plan of an account. One whose plan was taken out of the settings is treated as having the default plan. */
    get(name: string): Plan {
      const found = Object.hasOwn(PLANS, name) ? PLANS[name] : PLANS[defaultName];
      return found as Plan;
    },

    /** @throws AppError invalid_request when there is no such plan */
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

/** The table of plans. */
export type Plans = ReturnType<typeof createPlans>;
