import { createInterface } from 'node:readline/promises';

/** Asks a question that a person answers with yes or no. */
export type Ask = (question: string) => Promise<boolean>;

/** Returns how to ask the person at a terminal; undefined where nobody can answer, as in a pipeline. */
export function personAt(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Ask | undefined {
  if (!input.isTTY || !output.isTTY || process.env.CI) return undefined;
  return async (question) => {
    const lines = createInterface({ input, output });
    try {
      return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
    } finally {
      lines.close();
    }
  };
}
