// Owns sessions: uploads, metadata edits, previews, expiry, deletion. Knows nothing of credits, keys or HTTP.

export { createSessionDisposal, type SessionDisposal } from './dispose.ts';
export {
  type Described,
  type InLanguages,
  languageTextsOf,
  showDescribed,
  textsByLanguage,
  withFirst,
  withinLanguages,
  withLanguages,
  withTexts,
} from './image-texts.ts';
export { cleanOriginalFilename, createUrlImporter, filenameOfUrl, type UrlImporter } from './import-url.ts';
export { createSessions, type Sessions } from './sessions.ts';
export { showImage, type Upload, type UploadedFile } from './upload-session.ts';
