/** The twelve colour names. */
export type ColourName =
  | 'black'
  | 'white'
  | 'grey'
  | 'red'
  | 'orange'
  | 'brown'
  | 'yellow'
  | 'green'
  | 'turquoise'
  | 'blue'
  | 'purple'
  | 'pink';

// Difference between the channels below which a colour counts as grey.
const GREY_CHROMA = 28;

/** Upper limits of the hues, in degrees; red is on both sides of 0. */
const HUES: [number, ColourName][] = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [160, 'green'],
  [190, 'turquoise'],
  [255, 'blue'],
  [295, 'purple'],
  [345, 'pink'],
  [360, 'red'],
];

/** Names an sRGB colour (channels 0-255). */
export function colourName(red: number, green: number, blue: number): ColourName {
  const highest = Math.max(red, green, blue);
  const lowest = Math.min(red, green, blue);
  const chroma = highest - lowest;
  const lightness = (highest + lowest) / 510;
  if (highest < 36) return 'black';
  if (chroma < GREY_CHROMA) return lightness > 0.9 ? 'white' : lightness < 0.16 ? 'black' : 'grey';
  const sector =
    highest === red
      ? ((green - blue) / chroma + 6) % 6
      : highest === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4;
  const hue = sector * 60;
  if (hue >= 12 && hue < 50 && lightness < 0.42) return 'brown';
  const name = HUES.find(([end]) => hue < end)?.[1] ?? 'red';
  return name === 'red' && lightness > 0.72 ? 'pink' : name;
}
