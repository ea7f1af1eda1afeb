import { basename } from 'node:path';
import type { Browser } from 'playwright-core';
import type { PageType } from './contents.ts';
import { type PageWeight, type SCREENS, weigh } from './weigh.ts';

/** Weights by page type and screen, e.g. `cover phone`. */
export type Weights<Type extends PageType = PageType> = Record<`${Type} ${keyof typeof SCREENS}`, PageWeight>;

/** Weighs each page on each screen. */
export async function weighPages<Type extends PageType>(
  browser: Browser,
  pages: Record<Type, string>,
): Promise<Weights<Type>> {
  const weights: Record<string, PageWeight> = {};
  for (const [type, url] of Object.entries<string>(pages)) {
    const [phone, desktop] = await Promise.all([weigh(browser, url, 'phone'), weigh(browser, url, 'desktop')]);
    weights[`${type} phone`] = phone;
    weights[`${type} desktop`] = desktop;
  }
  return weights as Weights<Type>;
}

/** Returns what visitors lost by a change, a line each: weight, larger files, attributes, images that do not load. */
export function losses<Type extends PageType>(before: Weights<Type>, after: Weights<Type>): string[] {
  return (Object.keys(before) as (keyof Weights<Type>)[]).flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    const heavier = now.bytes > old.bytes ? [`${old.bytes} bytes became ${now.bytes}`] : [];
    const larger = shownFiles(now).flatMap(({ path, bytes }, at) => {
      const shown = shownFiles(old)[at];
      return shown && bytes > shown.bytes ? [`${shown.path} ${shown.bytes} became ${path} ${bytes}`] : [];
    });
    const fewer = (Object.keys(old.attributes) as (keyof PageWeight['attributes'])[])
      .filter((attribute) => now.attributes[attribute] < old.attributes[attribute])
      .map((attribute) => `${attribute} ${old.attributes[attribute]} became ${now.attributes[attribute]}`);
    const missing =
      now.images.length < old.images.length ? [`${old.images.length} images became ${now.images.length}`] : [];
    const lost = [...heavier, ...larger, ...fewer, ...missing];
    return [...lost, ...now.failed, ...now.blank.map((path) => `blank ${path}`)].map((line) => `${name}: ${line}`);
  });
}

/** Files of `img` elements in their order, then those of CSS backgrounds. */
function shownFiles({ images, files }: PageWeight): { path: string; bytes: number }[] {
  const paths = new Set(images.map(({ path }) => path));
  const backgrounds = Object.entries(files).filter(([path]) => !paths.has(path));
  return [...images, ...backgrounds.map(([path, { bytes }]) => ({ path, bytes }))];
}

/** Bytes of all pages. */
export function sumOf(weights: Weights): number {
  return Object.values(weights).reduce((total, { bytes }) => total + bytes, 0);
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
  const old = before ? ` ${kilobytes(sumOf(before))} ${(sumOf(weights) / sumOf(before)).toFixed(2).padStart(6)}` : '';
  return [...rows, `${'sum'.padEnd(22)}${old} ${kilobytes(sumOf(weights))}`].join('\n');
}

/** A table of the shown files, each beside the one before a change, those with the most bytes first. */
export function fileTable<Type extends PageType>(before: Weights<Type>, after: Weights<Type>): string {
  const sums = new Map<string, { old: number; now: number; times: number }>();
  for (const name of Object.keys(before) as (keyof Weights<Type>)[]) {
    const shown = shownFiles(after[name]);
    for (const [at, old] of shownFiles(before[name]).entries()) {
      const line = `${basename(old.path)} -> ${basename(shown[at]?.path ?? '')}`;
      const sum = sums.get(line) ?? { old: 0, now: 0, times: 0 };
      sums.set(line, { old: sum.old + old.bytes, now: sum.now + (shown[at]?.bytes ?? 0), times: sum.times + 1 });
    }
  }
  return [...sums]
    .sort(([, a], [, b]) => b.now - a.now)
    .map(([line, { old, now, times }]) => {
      const share = (now / old).toFixed(2).padStart(6);
      return `${kilobytes(old)} ${kilobytes(now)} ${share} ${String(times).padStart(3)} x ${line}`;
    })
    .join('\n');
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1).padStart(8)} kB`;
