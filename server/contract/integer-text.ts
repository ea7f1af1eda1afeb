import { z } from 'zod';

/** Creates the schema of an integer that is written as text in plain decimal digits, in a setting or a query. */
export const integerText = (min: number, max: number) =>
  z.preprocess(
    (text) => (typeof text === 'string' && /^\s*-?\d+\s*$/.test(text) ? Number(text) : text),
    z.int().min(min).max(max),
  );
