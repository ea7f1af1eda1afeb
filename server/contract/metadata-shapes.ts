import { z } from 'zod';
import {
  METADATA_FIELD_NAMES,
  METADATA_FIELDS,
  type MetadataField,
  type MetadataValues,
  REQUEST_FIELDS,
  type RequestField,
} from './constants/index.ts';

/** A field's value in an edit: `null` clears a text or a list. */
type PatchValue<Value> = Value extends boolean ? boolean : Value | null;

type PatchShape = { [Name in MetadataField]: z.ZodOptional<z.ZodType<PatchValue<MetadataValues[Name]>>> };
type StoredShape = { [Name in MetadataField]: z.ZodType<MetadataValues[Name]> };
type UploadShape = { [Name in RequestField]: z.ZodOptional<z.ZodNullable<z.ZodString>> };

const row = (name: MetadataField) => METADATA_FIELDS[name];

const text = (max: number | null) => (max === null ? z.string() : z.string().max(max));

function patchField(name: MetadataField): z.ZodType {
  const { type, maxLength, maxEntries, doc } = row(name);
  const values = {
    text: () => text(maxLength).nullable().optional(),
    list: () =>
      z
        .array(text(maxLength))
        .max(maxEntries ?? Number.MAX_SAFE_INTEGER)
        .nullable()
        .optional(),
    flag: () => z.boolean().optional(),
  };
  const schema = values[type]();
  return doc === null ? schema : schema.describe(doc);
}

function storedField(name: MetadataField): z.ZodType {
  const { type, maxLength } = row(name);
  const values = {
    text: () => text(maxLength).nullable(),
    list: () => z.array(z.string()),
    flag: () => z.boolean(),
  };
  return values[type]();
}

function exportField(name: RequestField): z.ZodType {
  const { exportLength, doc } = METADATA_FIELDS[name];
  const schema = text(exportLength).nullish();
  return doc === null ? schema : schema.describe(doc);
}

function shape<Name extends MetadataField>(names: readonly Name[], field: (name: Name) => z.ZodType) {
  return Object.fromEntries(names.map((name) => [name, field(name)]));
}

/** Shape of an edit: a schema per field, each optional. */
export const PATCH_SHAPE = shape(METADATA_FIELD_NAMES, patchField) as PatchShape;
/** Shape of stored metadata: a schema per field. */
export const STORED_SHAPE = shape(METADATA_FIELD_NAMES, storedField) as StoredShape;
/** Shape of the metadata of a multipart upload. */
export const UPLOAD_SHAPE = shape(REQUEST_FIELDS, (name) =>
  text(METADATA_FIELDS[name].maxLength).nullable().optional(),
) as UploadShape;
/** Shape of the metadata of an export request. */
export const EXPORT_SHAPE = shape(REQUEST_FIELDS, exportField) as UploadShape;
