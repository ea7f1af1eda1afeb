import { html, type TemplateResult } from 'lit';

/** Outlines on a grid of 20 x 20, stroked in the colour of the text. */
const PATHS = {
  add: 'M10 4v12M4 10h12',
  alert: 'M10 7.5v4m0 2.2v.1M10 3 2 16.5h16z',
  check: 'm4 10.6 3.9 3.9L16 6.2',
  close: 'm5.5 5.5 9 9m0-9-9 9',
  coins:
    'M10 7.5c3.3 0 6-1 6-2.3S13.3 3 10 3 4 4 4 5.2s2.7 2.3 6 2.3ZM4 5.2v9.6C4 16 6.7 17 10 17s6-1 6-2.2V5.2M4 10c0 1.3 2.7 2.3 6 2.3s6-1 6-2.3',
  compare: 'M10 2.5v15m-2-13H2.5v11H8m4-11h5.5v11H12',
  down: 'm5 7.5 5 5 5-5',
  download: 'M10 3v9.5m-4-3.8 4 4 4-4M3.5 16.5h13',
  grid: 'M3.5 3.5h5v5h-5zm8 0h5v5h-5zm-8 8h5v5h-5zm8 0h5v5h-5z',
  image: 'M2.5 3.5h15v13h-15zm0 11 5.3-5 6.7 7M13 8.2a1.2 1.2 0 1 1-2.4 0 1.2 1.2 0 0 1 2.4 0Z',
  left: 'm12.5 5-5 5 5 5',
  list: 'M3.5 5h13m-13 5h13m-13 5h13',
  more: 'M4.5 10h0m5.5 0h0m5.5 0h0',
  offline: 'M3 3l14 14M6.2 6.3A4.5 4.5 0 0 0 5.5 15H14m2.3-.8A3 3 0 0 0 15 8.5 5 5 0 0 0 9 5.2',
  replace: 'M3 8.5A7 7 0 0 1 16 6.3M17 3v3.8h-3.8M17 11.5a7 7 0 0 1-13 2.2M3 17v-3.8h3.8',
  right: 'm7.5 5 5 5-5 5',
  sparkle:
    'M9 3.5q.8 4.7 5.5 5.5-4.7.8-5.5 5.5-.8-4.7-5.5-5.5Q8.2 8.2 9 3.5zm6.5 9.5q.3 1.7 2 2-1.7.3-2 2-.3-1.7-2-2 1.7-.3 2-2z',
  trash: 'M3.5 5.5h13M8 5.5v-2h4v2m-6.5 0L6.3 17h7.4l.8-11.5M8.5 8.8v4.7m3-4.7v4.7',
  undo: 'M7 4 3.5 7.5 7 11M4 7.5h8a4.5 4.5 0 0 1 0 9H8',
  upload: 'M10 13V3.5m-4 3.8 4-4 4 4M3.5 12.5v4h13v-4',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** Renders an icon in the size of `--_icon` (20 px) as decoration: its control has a text or label. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}
