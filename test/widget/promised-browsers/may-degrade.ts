/**
 * Features that a promised browser lacks, each with what a person has there. A name that ends with `*` stands for all that begin so. The
 * test asks for an entry that is missing, and for the removal of one that no file needs any more.
 */
export const MAY_DEGRADE: Record<'styles' | 'scripts', Record<string, string>> = {
  styles: {
    '::-moz-progress-bar': 'The form of Firefox; the others have theirs beside it.',
    '::-webkit-meter-*': 'The form of Chromium and Safari; the meter of Firefox needs none.',
    '::-webkit-progress-*': 'The form of Chromium and Safari; Firefox has its own beside it.',
    'anchor-name': 'A script gives the menu its place at its button.',
    'position-*': 'A script gives the menu its place at its button.',
    'animation-timeline*': 'A text that goes on below is cut without fading out.',
    'scroll()': 'A text that goes on below is cut without fading out.',
    'cursor: *': 'Telephones and tablets show no pointer.',
    'field-sizing*': 'A field of text keeps two lines and scrolls.',
    'font-family: ui-monospace': 'The next font of the list.',
    'forced-color-adjust*': 'Safari has no forced colours.',
    'overflow-clip-margin': 'The ring of the focus is cut at the edge of a row.',
    'resize*': 'Telephones and tablets have no handle at fields.',
    'scrollbar-width*': 'The scroll bar has its usual width.',
    'text-wrap: pretty': 'Lines break as they always did.',
  },
  scripts: {
    'CanvasRenderingContext2D.imageSmoothingQuality': 'The closer look is drawn with the usual quality.',
    'ImageDecoder*': 'Thumbnails are decoded by the browser in full size: `decode-small.ts` asks first.',
    'VideoFrame.*': 'Only what `ImageDecoder` returns has this type.',
  },
};
