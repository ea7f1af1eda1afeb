// Owns the facts of the contract that programs without zod may load: workers and browsers. Imports nothing.
export * from './csv-line.ts';
export * from './download-address.ts';
export * from './file-errors.ts';
export * from './formats.ts';
export * from './information.ts';
export * from './languages.ts';
export * from './limits.ts';
export * from './metadata-fields.ts';
export * from './plan-limits.ts';
export * from './presets.ts';
export * from './result-address.ts';
