import type { z } from 'zod';

/** Input of a request by its schema: fields with a default are optional, everything is read-only. */
export type Input<Schema extends z.ZodType> = Unchanged<z.input<Schema>>;

type Unchanged<T> = T extends object ? { readonly [Key in keyof T]: Unchanged<T[Key]> } : T;
