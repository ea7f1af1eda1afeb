/** Zoom of the image. `1` and `2`: device pixels per image pixel. */
export type Zoom = 'fit' | 1 | 2;

/** Visible part of the image, in CSS pixels of the stage. */
export interface Viewport {
  /** CSS pixels per pixel of the image. */
  scale: number;
  /** Position of the image's left edge; negative if scrolled. */
  x: number;
  y: number;
  /** Size of the whole image. */
  width: number;
  height: number;
}

/** Places an image on a stage: centred if it is smaller, scrolled if it is larger. `fit` never enlarges. */
export function placeImage(
  image: { width: number; height: number },
  stage: { width: number; height: number; scrollLeft: number; scrollTop: number; ratio: number },
  zoom: Zoom,
): Viewport {
  const scale =
    zoom === 'fit' ? Math.min(1, stage.width / image.width, stage.height / image.height) : zoom / stage.ratio;
  const width = image.width * scale;
  const height = image.height * scale;
  return {
    scale,
    width,
    height,
    x: width > stage.width ? -stage.scrollLeft : (stage.width - width) / 2,
    y: height > stage.height ? -stage.scrollTop : (stage.height - height) / 2,
  };
}

/** Draws the bitmap in the viewport. The canvas gets the resolution of the screen. */
export function drawSide(
  canvas: HTMLCanvasElement,
  bitmap: ImageBitmap,
  view: Viewport,
  stage: { width: number; height: number; ratio: number },
): void {
  const width = Math.max(1, Math.round(stage.width * stage.ratio));
  const height = Math.max(1, Math.round(stage.height * stage.ratio));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.clearRect(0, 0, width, height);
  // Zoomed pixels are not smoothed, so that differences are visible.
  context.imageSmoothingEnabled = view.width * stage.ratio < bitmap.width * 1.01 || view.scale * stage.ratio < 1;
  context.imageSmoothingQuality = 'high';
  const { x, y } = view;
  context.drawImage(bitmap, x * stage.ratio, y * stage.ratio, view.width * stage.ratio, view.height * stage.ratio);
}
