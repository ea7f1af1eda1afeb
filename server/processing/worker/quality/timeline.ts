/** Times that count as none are shown as this, in milliseconds, by browsers and encoders. */
const DEFAULT_DELAY = 100;
const MOST_IGNORED = 10;

/** Returns when the middle of a frame is shown, as a share of the animation's duration. */
export function midOf(frame: number, { frames, delay }: { frames: number; delay?: number[] | undefined }): number {
  const shown = shownDurations(frames, delay);
  return (sum(shown.slice(0, frame)) + (shown[frame] ?? 0) / 2) / sum(shown);
}

/** Returns the frame that is shown at a time, given as a share of the animation's duration. */
export function frameAt(share: number, frames: number, delay: number[] | undefined): number {
  const shown = shownDurations(frames, delay);
  const time = share * sum(shown);
  let end = 0;
  const found = shown.findIndex((duration) => {
    end += duration;
    return time < end;
  });
  return found < 0 ? frames - 1 : found;
}

/** Returns how long each frame is shown, in milliseconds. */
export function shownDurations(frames: number, delay: number[] = []): number[] {
  return Array.from({ length: frames }, (_, frame) => {
    const duration = delay[frame] ?? DEFAULT_DELAY;
    return duration <= MOST_IGNORED ? DEFAULT_DELAY : duration;
  });
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
