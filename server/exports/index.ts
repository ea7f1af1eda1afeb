// Owns exports and samples: what is done with an image, the variant cache, exported files. Never sees credits, plans or keys.
export type { ExportsConfig } from './config.ts';
export { createExports, type ExportOrder, type Exports } from './exports.ts';
export type { FoundFile } from './find-file.ts';
