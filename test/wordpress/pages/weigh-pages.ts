import type { Browser } from 'playwright-core';
import type { PageType } from './contents.ts';
import { type PageWeight, type SCREENS, weigh } from './weigh.ts';

/** Weights by page type and screen, e.g. `cover phone`. */
export type Weights = Record<`${PageType} ${keyof typeof SCREENS}`, PageWeight>;

/** Weighs each page on each screen. */
export async function weighPages(browser: Browser, pages: Record<PageType, string>): Promise<Weights> {
  const weights: Record<string, PageWeight> = {};
  for (const [type, url] of Object.entries(pages)) {
    const [phone, desktop] = await Promise.all([weigh(browser, url, 'phone'), weigh(browser, url, 'desktop')]);
    weights[`${type} phone`] = phone;
    weights[`${type} desktop`] = desktop;
  }
  return weights as Weights;
}

/** A table of weights, beside those of the same pages before a change if there are any. */
export function weightTable(weights: Weights, before?: Weights): string {
  const rows = (Object.keys(weights) as (keyof Weights)[]).map((name) => {
    const { bytes, images, attributes } = weights[name];
    const { srcset, width, loading, fetchpriority } = attributes;
    const old = before?.[name].bytes;
    const change = old ? ` ${kilobytes(old)} ${(bytes / old).toFixed(2).padStart(6)}` : '';
    return `${name.padEnd(22)}${change} ${kilobytes(bytes)}  ${images.length} img, ${srcset} srcset, ${width} width, ${loading} lazy, ${fetchpriority} fetchpriority`;
  });
  const sum = (all: Weights) => Object.values(all).reduce((total, { bytes }) => total + bytes, 0);
  const old = before ? ` ${kilobytes(sum(before))} ${(sum(weights) / sum(before)).toFixed(2).padStart(6)}` : '';
  return [...rows, `${'sum'.padEnd(22)}${old} ${kilobytes(sum(weights))}`].join('\n');
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1).padStart(8)} kB`;
