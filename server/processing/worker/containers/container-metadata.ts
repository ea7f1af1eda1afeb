/** Metadata that a rewritten file keeps beside its pixels and colour profile; other private data is removed. */
export interface ContainerMetadata {
  /** An EXIF block without the `Exif\0\0` prefix. */
  exif: Buffer | null;
  /** An XMP packet. */
  xmp: string | null;
}
