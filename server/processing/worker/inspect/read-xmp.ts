import { METADATA_FIELDS, XMP_FIELDS } from '#contract/constants';
import type { EmbeddedMetadata, EmbeddedText } from '../../shared/inspection.ts';
import { alternativesOf, listOf, parseXmp, propertyOf } from '../metadata/parse-xmp.ts';

/** Texts of an XMP packet: one for each metadata field with an XMP property, and the headline. */
export type XmpTexts = EmbeddedMetadata & { headline: EmbeddedText | null };

/** Reads the texts of an XMP packet. One that is too large, damaged or declares a document type yields nothing. */
export function readXmp(packet: string | undefined, language: string | undefined): XmpTexts {
  const descriptions = parseXmp(packet) ?? [];
  const fields = XMP_FIELDS.map((name) => {
    const { type, xmp } = METADATA_FIELDS[name];
    const property = propertyOf(descriptions, xmp);
    return [name, type === 'list' ? listOf(property) : textOf(property, language)];
  });
  const headline = textOf(propertyOf(descriptions, 'photoshop:Headline'), language);
  return { ...(Object.fromEntries(fields) as EmbeddedMetadata), headline };
}

/** Chooses from a language alternative: the requested language, the same one of another region, the default, or the first. */
function textOf(property: unknown, wanted: string | undefined): EmbeddedText | null {
  const texts = alternativesOf(property);
  const asked = wanted?.toLowerCase();
  const primary = asked?.split('-')[0];
  return (
    texts.find(({ language }) => asked !== undefined && language === asked) ??
    texts.find(({ language }) => primary !== undefined && language?.split('-')[0] === primary) ??
    texts.find(({ language }) => language === null) ??
    texts[0] ??
    null
  );
}
