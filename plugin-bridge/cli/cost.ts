import type { Client } from '../sdk/index.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { MORE_CREDITS } from './failures.ts';

/** Images to be made. */
interface Order {
  images: number;
  analyze: boolean;
  signal: AbortSignal;
}

/** Price of an order. */
export interface Cost {
  images: number;
  credits: number;
  /** Null for an empty order. */
  balance: number | null;
  sufficient: boolean;
}

/** Asks the service for the price of an order. Sends no request for an empty one. */
export async function askForCost(client: Client, { images, analyze, signal }: Order): Promise<Cost> {
  if (images === 0) return { images, credits: 0, balance: null, sufficient: true };
  const exported = await client.checkCredits({ imageCount: images, operation: 'export' }, { signal });
  const analyzed = analyze ? await client.checkCredits({ imageCount: images, operation: 'analyze' }, { signal }) : null;
  const credits = exported.cost + (analyzed?.cost ?? 0);
  return { images, credits, balance: exported.balance, sufficient: exported.balance >= credits };
}

/** Checks that the balance covers the whole order. @throws CliError 3 */
export async function requireCredits(client: Client, order: Order): Promise<void> {
  const { credits, balance, sufficient } = await askForCost(client, order);
  if (sufficient) return;
  const message = `${credits} credits are needed and the balance is ${balance}: no new image was started. ${MORE_CREDITS}`;
  throw new CliError(EXIT.credits, 'insufficient_credits', message);
}
