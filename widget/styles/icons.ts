import { html, type TemplateResult } from 'lit';

/** Outlines on a grid of 20 x 20, stroked in the colour of the text. */
const PATHS = {
  add: 'M10 4v12M4 10h12',
  alert:
    'M10 6.8v4M10 13.4v.1M8.6 3.3 2.5 14a1.6 1.6 0 0 0 1.4 2.4h12.2a1.6 1.6 0 0 0 1.4-2.4L11.4 3.3a1.6 1.6 0 0 0-2.8 0Z',
  check: 'm4 10.6 3.9 3.9L16 6.2',
  close: 'm5.5 5.5 9 9m0-9-9 9',
  coins:
    'M10 7.5c3.3 0 6-1 6-2.3S13.3 3 10 3 4 4 4 5.2s2.7 2.3 6 2.3ZM4 5.2v4.8c0 1.3 2.7 2.3 6 2.3s6-1 6-2.3V5.2M4 10v4.8C4 16 6.7 17 10 17s6-1 6-2.2V10',
  compare:
    'M10 2.5v15M8 4.5H4A1.5 1.5 0 0 0 2.5 6v8A1.5 1.5 0 0 0 4 15.5h4M12 4.5h4A1.5 1.5 0 0 1 17.5 6v8a1.5 1.5 0 0 1-1.5 1.5h-4',
  down: 'm5 7.5 5 5 5-5',
  download: 'M10 3v9.5m-4-3.8 4 4 4-4M3.5 16.5h13',
  image:
    'M4 3.5h12A1.5 1.5 0 0 1 17.5 5v10a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 15V5A1.5 1.5 0 0 1 4 3.5Zm-1.3 11 4.1-4.1a1.4 1.4 0 0 1 2 0l5.7 5.7M13 8.2a1.2 1.2 0 1 1-2.4 0 1.2 1.2 0 0 1 2.4 0Z',
  left: 'm12.5 5-5 5 5 5',
  offline: 'M3 3l14 14M6.2 6.3A4.5 4.5 0 0 0 5.5 15H14m2.3-.8A3 3 0 0 0 15 8.5 5 5 0 0 0 9 5.2',
  replace: 'M3 8.5A7 7 0 0 1 16 6.3M17 3v3.8h-3.8M17 11.5a7 7 0 0 1-13 2.2M3 17v-3.8h3.8',
  right: 'm7.5 5 5 5-5 5',
  sparkle:
    'M9 3.5c.7 3.7 1.9 4.9 5.5 5.5-3.6.7-4.8 1.9-5.5 5.5-.7-3.6-1.9-4.8-5.5-5.5 3.6-.6 4.8-1.8 5.5-5.5ZM15.5 13c.3 1.4.7 1.8 2 2-1.3.3-1.7.7-2 2-.3-1.3-.7-1.7-2-2 1.3-.2 1.7-.6 2-2Z',
  trash:
    'M3.5 5.5h13M8 5.5v-2h4v2m-6.5 0 .7 10A1.5 1.5 0 0 0 7.7 17h4.6a1.5 1.5 0 0 0 1.5-1.4l.7-10.1M8.5 8.8v4.7m3-4.7v4.7',
  undo: 'M7 4 3.5 7.5 7 11M4 7.5h8a4.5 4.5 0 0 1 0 9H8',
  upload: 'M10 13V3.5m-4 3.8 4-4 4 4M3.5 12.5V15A1.5 1.5 0 0 0 5 16.5h10a1.5 1.5 0 0 0 1.5-1.5v-2.5',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** Renders an icon in the size of `--_icon` (20 px) as decoration: its control has a text or label. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}
