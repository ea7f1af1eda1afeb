// Owns the ways to add files: picker, folder, drop, paste. The state module adds them.
export { emptyPicture, pictureStyles } from './empty-picture.ts';
export { type FilesDetail, IoDropzone } from './io-dropzone.ts';
