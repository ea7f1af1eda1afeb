/** Metadata that a rewritten file keeps beside its pixels and colour profile; other private data is removed. */
export interface ContainerMetadata {
  /** An EXIF block without the `Exif\0\0` prefix. */
  exif: Buffer | null;
  /** An XMP packet. */
  xmp: string | null;
  /** Compresses XMP where the format can (PNG); most programs read it, but not all. @default false */
  compact?: boolean;
}
