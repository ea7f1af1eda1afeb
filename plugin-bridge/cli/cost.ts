import type { Client } from '../sdk/index.ts';
import { CliError, EXIT } from './exit-codes.ts';

/** What is to be made. */
interface Order {
  images: number;
  analyze: boolean;
  signal: AbortSignal;
}

/** What it costs. */
export interface Cost {
  images: number;
  credits: number;
  /** Null when nobody had to be asked. */
  balance: number | null;
  sufficient: boolean;
}

/** Asks the service what an order costs; nobody when it is empty. */
export async function askForCost(client: Client, { images, analyze, signal }: Order): Promise<Cost> {
  if (images === 0) return { images, credits: 0, balance: null, sufficient: true };
  const exported = await client.checkCredits({ imageCount: images, operation: 'export' }, { signal });
  const analyzed = analyze ? await client.checkCredits({ imageCount: images, operation: 'analyze' }, { signal }) : null;
  const credits = exported.cost + (analyzed?.cost ?? 0);
  return { images, credits, balance: exported.balance, sufficient: exported.balance >= credits };
}

/** @throws CliError 3 when the balance does not suffice for the whole order */
export async function requireCredits(client: Client, order: Order): Promise<void> {
  const { credits, balance, sufficient } = await askForCost(client, order);
  if (sufficient) return;
  const message = `${credits} credits are needed and the balance is ${balance}: nothing new was begun.`;
  throw new CliError(EXIT.credits, 'insufficient_credits', message);
}
