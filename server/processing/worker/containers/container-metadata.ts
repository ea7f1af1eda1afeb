/** What a rewritten file carries beside its pixels and colour profile; everything else private is gone. */
export interface ContainerMetadata {
  /** An EXIF block without the `Exif\0\0` prefix. */
  exif: Buffer | null;
  /** An XMP packet. */
  xmp: string | null;
}
