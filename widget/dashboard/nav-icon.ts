import { html, type TemplateResult } from 'lit';

/** Icons of the navigation, on the grid of the widget's icons. */
const PATHS = {
  overview: 'M3.5 16.5v-6m4.5 6v-13m4.5 13v-9m4.5 9v-4',
  playground: 'M6 4.2v11.6a.6.6 0 0 0 .9.5l9.4-5.8a.6.6 0 0 0 0-1L6.9 3.7a.6.6 0 0 0-.9.5Z',
  credits:
    'M10 7.5c3.3 0 6-1 6-2.3S13.3 3 10 3 4 4 4 5.2s2.7 2.3 6 2.3ZM4 5.2v4.8c0 1.3 2.7 2.3 6 2.3s6-1 6-2.3V5.2M4 10v4.8C4 16 6.7 17 10 17s6-1 6-2.2V10',
  keys: 'M12.5 11.5a4 4 0 1 0-3.8-2.7L3.5 14v2.5H6V15h1.5v-1.5H9l2.3-2.2c.4.1.8.2 1.2.200Zm.7-4.7v.1',
  account: 'M10 10a3.3 3.3 0 1 0 0-6.6A3.3 3.3 0 0 0 10 10Zm-6.5 6.8c.6-2.9 3.2-4.6 6.5-4.6s5.9 1.7 6.5 4.6',
  docs: 'M10 5.5C8.5 4.3 6.4 3.8 3.5 3.8v11c2.9 0 5 .5 6.5 1.7 1.5-1.2 3.6-1.7 6.5-1.7v-11c-2.9 0-5 .5-6.5 1.7Zm0 0v11',
  operator:
    'M7.5 9.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6Zm-5.5 6.7c.5-2.7 2.7-4.2 5.5-4.2s5 1.5 5.5 4.2M13 4.2a2.7 2.7 0 0 1 0 5.1m2 3c1.6.6 2.7 1.9 3 3.9',
  log: 'M5 3.5h10v13H5v-13Zm2.500 3.500h5m-5 3h5m-5 3h3',
  service: 'M4 4h12v5H4V4Zm0 7h12v5H4v-5Zm2.500-4.500h.1m-.1 7h.1',
  eye: 'M2.500 10c1.600-3 4.200-4.700 7.500-4.700s5.900 1.700 7.500 4.700c-1.600 3-4.200 4.700-7.500 4.700S4.100 13 2.500 10Zm7.500 2.300a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600Z',
  menu: 'M3 6h14M3 10h14M3 14h14',
} as const;

/** Name of an icon of the navigation. */
export type NavIconName = keyof typeof PATHS;

/** Renders an icon of the navigation as decoration of its link. */
export function navIcon(name: NavIconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}

/** Logo of the service. */
export const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <rect x="1" y="1" width="30" height="30" rx="8" />
  <path d="M7 22.5 13 14l4 5.5 3-4 5 7" />
  <circle cx="21" cy="10.5" r="2.2" />
</svg>`;
