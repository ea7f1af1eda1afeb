/** Codes of uploads that refuse a file for what it is: it is not worth another try. */
export const FILE_ERRORS = [
  'file_too_large',
  'unsupported_image',
  'invalid_image',
  'too_many_pixels',
  'too_many_frames',
] as const;
