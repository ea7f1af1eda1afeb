import type { Core } from '../core.ts';
import { createDebounce } from '../debounce.ts';
import type { Cost, OptimizerError } from '../types.ts';

/** Debounce between a change of the selection and the request of its price, in ms. */
const PAUSE_MS = 400;

/** Keeps the price of the next export. */
export interface CostCheck {
  readonly cost: Cost | null;
  check(count: number): Promise<Cost | null>;
  /** Schedules a request of the price if the number of images has changed. */
  want(count: number): void;
  /** Drops the price after a charge or refund. The error of a refused export contains the new balance. */
  outdate(error?: OptimizerError): void;
  dispose(): void;
}

/** Keeps the price of the next export up to date, so that the button can show it. */
export function createCost(core: Core): CostCheck {
  let cost: Cost | null = null;
  let wanted: number | null = null;
  let complained = false;
  let asked = 0;
  const delayedCheck = createDebounce(core.env, () => void check(wanted ?? 0));

  async function check(count: number): Promise<Cost | null> {
    delayedCheck.cancel();
    wanted = count;
    asked += 1;
    const own = asked;
    try {
      const answer = await core.transport().checkCredits({ imageCount: count, operation: 'export' });
      const { costPerImage, balance } = answer;
      const affordable = costPerImage > 0 ? Math.min(count, Math.floor(balance / costPerImage)) : count;
      const { operation: _, imageCount: images, ...rest } = answer;
      const answered = { images, ...rest, affordable };
      // A later request replaces this price in the state; its caller still receives it.
      if (own !== asked) return answered;
      cost = answered;
      complained = false;
      core.notices.drop('error-cost');
      core.balance = balance;
      core.emit('io-cost', { images, cost: cost.cost, balance, sufficient: cost.sufficient });
    } catch (cause) {
      if (own === asked) cost = null;
      // Reported once, because the button also works without a price.
      if (!complained) core.notices.fail(core.report(cause, 'cost'), 'cost', ['check-cost']);
      complained = true;
    }
    core.touch();
    return cost;
  }

  return {
    get cost() {
      return cost;
    },
    check,
    want(count) {
      if (count === wanted) return;
      wanted = count;
      delayedCheck.cancel();
      cost = null;
      core.touch();
      if (count > 0) delayedCheck.schedule(PAUSE_MS);
    },
    outdate(error) {
      delayedCheck.cancel();
      wanted = null;
      cost = null;
      if (error?.balance !== undefined) core.balance = error.balance;
      core.touch();
    },
    dispose: delayedCheck.cancel,
  };
}
