// Owns how files come in: picker, folder, drop, paste. What becomes of them is the state's business.
export { emptyPicture, pictureStyles } from './empty-picture.ts';
export { type FilesDetail, IoDropzone } from './io-dropzone.ts';
