import type { z } from 'zod';
import type { analysisCompleteEventSchema, analysisErrorEventSchema, analyzeRequestSchema } from './analysis.ts';
import type { creditCheckRequestSchema, transactionPageSchema } from './credits.ts';
import type { ENDPOINTS, EndpointName } from './endpoints.ts';
import type { exportRequestSchema } from './exports.ts';
import type { urlImportSchema } from './images.ts';
import type { tokenRequestSchema } from './sessions.ts';
import type { shareRequestSchema } from './shares.ts';

type Row<N extends EndpointName> = (typeof ENDPOINTS)[N];
type Sent<E, Part extends string> = E extends Record<Part, infer S extends z.ZodType> ? Input<S> : undefined;
type ReadOnly<T> = T extends object ? { readonly [Key in keyof T]: ReadOnly<T[Key]> } : T;

/** Input of a request by its schema: fields with a default are optional, everything is read-only. */
export type Input<Schema extends z.ZodType> = ReadOnly<z.input<Schema>>;

/** Values of a query or path as they are written; the schema of the endpoint reads them. */
type Written<E, Part extends string> =
  E extends Record<Part, infer S extends z.ZodType>
    ? { readonly [Name in keyof z.input<S>]: string | number | undefined }
    : undefined;
type Answer<E> = E extends { success: { schema: infer S extends z.ZodType } } ? z.output<S> : undefined;

/** Every endpoint as its clients call it, by method and path: `GET /v1/limits`. Types alone; nothing is loaded. */
export type Calls = {
  [N in EndpointName as `${Row<N>['method']} ${Row<N>['path']}`]: {
    params: Written<Row<N>, 'params'>;
    query: Written<Row<N>, 'query'>;
    body: Sent<Row<N>, 'body'>;
    answer: Answer<Row<N>>;
  };
};

/** Method and path of an endpoint. */
export type CallName = keyof Calls;

/** Input of a call of an endpoint: the values of its path, its query and its body. */
export type CallInput<Name extends CallName> = (Calls[Name]['params'] extends undefined
  ? unknown
  : Calls[Name]['params']) & {
  [Part in 'query' | 'body' as [Calls[Name][Part]] extends [undefined] ? never : Part]: Calls[Name][Part];
};

/** Images and options of an analysis. */
export type AnalyzeInput = Omit<Input<typeof analyzeRequestSchema>, 'sessionId'>;
/** Images and settings of an export. */
export type ExportInput = Omit<Input<typeof exportRequestSchema>, 'sessionId'>;
/** Input of a price check. */
export type CreditCheckInput = Input<typeof creditCheckRequestSchema>;
/** Session and origin of a token. */
export type TokenInput = Input<typeof tokenRequestSchema>;
/** Options of a link. */
export type ShareInput = Input<typeof shareRequestSchema>;
/** Addresses from which the service fetches images. */
export type UrlImportInput = Input<typeof urlImportSchema>;
/** Data of the last event of an analysis. */
export type AnalysisComplete = z.output<typeof analysisCompleteEventSchema>;
/** Data of the event that ends an analysis without a result. */
export type AnalysisFailure = z.output<typeof analysisErrorEventSchema>;
/** Page of the ledger. */
export type TransactionPage = z.output<typeof transactionPageSchema>;
