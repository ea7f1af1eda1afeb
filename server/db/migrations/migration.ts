import type { Connection } from '../connect.ts';

/** One numbered change of the stored data. Its number is its place in the list, from 1. */
export interface Migration {
  /** Short description for the log. */
  name: string;
  /**
   * Changes the data. A process may be killed at any point and another one may repeat the whole, so that every step is
   * applied to data that may have it already.
   */
  apply(connection: Connection, report: (done: number) => void): Promise<void>;
}
