import type { Carried } from '#contract';
import { METADATA_LEVELS, type MetadataLevel } from '#contract/constants';
import type { I18n } from '../../i18n/index.ts';
import { type Item, levelOf, type Settings } from '../../state/index.ts';

/** Tests whether the file has a gain map, with which screens show more light. */
export const carriesHdr = ({ image }: Item): boolean =>
  image?.carries?.some(({ kind }) => kind === 'gain_map') ?? false;

/**
 * Says which information of an uploaded file an export with these settings keeps, and what it removes. What one of the formats cannot
 * hold counts as removed. Kinds without a text, such as the orientation, are of no interest to people.
 */
export function describeCarried(item: Item, settings: Settings, { t, formatList }: I18n): string[] {
  const { carries = [], format: own = '' } = item.image ?? {};
  const { format, formats = [format], hdr } = settings;
  const wanted = hdr === 'keep' && carriesHdr(item) ? ['original'] : formats;
  const kept: string[] = [];
  const goes: string[] = [];
  for (const { kind, keptBy, droppedIn = [] } of carries) {
    const name = t(`carried.${kind}`);
    if (name.startsWith('carried.')) continue;
    const keeps = isKept(keptBy, levelOf(settings));
    const stays = keeps && wanted.every((each) => !droppedIn.includes(each === 'original' ? own : each));
    // Only the export decides whether it delivers the uploaded file unchanged, with all its metadata.
    if (keeps && wanted.includes('original') && droppedIn.includes(own)) continue;
    (stays ? kept : goes).push(name);
  }
  return Object.entries({ stays: kept, goes }).flatMap(([key, list]) =>
    list.length > 0 ? t(`carried.${key}`, { list: formatList(list) }) : [],
  );
}

function isKept(keptBy: Carried['keptBy'], level: MetadataLevel): boolean {
  if (keptBy === 'always' || keptBy === 'never') return keptBy === 'always';
  return METADATA_LEVELS.indexOf(level) >= METADATA_LEVELS.indexOf(keptBy);
}
