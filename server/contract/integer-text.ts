import { z } from 'zod';

/** Creates the schema of an integer that is written as text, in a setting or a query. */
export const integerText = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
