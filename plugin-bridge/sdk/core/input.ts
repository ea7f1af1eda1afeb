import type { z } from 'zod';

/** What a request may hold by its schema: what has a default may be absent, and nothing of it is changed. */
export type Input<Schema extends z.ZodType> = Unchanged<z.input<Schema>>;

type Unchanged<T> = T extends object ? { readonly [Key in keyof T]: Unchanged<T[Key]> } : T;
