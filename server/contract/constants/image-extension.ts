/** Extension of an image, at the end of a file name. Anything else may be part of the name, as in "Mr. Smith" or "v1.2". */
export const IMAGE_EXTENSION = /\.(?:jpe?g|jpe|jfif|png|apng|webp|avifs?|gif|tiff?|heic|hei?f|bmp|svg|jxl)$/i;
