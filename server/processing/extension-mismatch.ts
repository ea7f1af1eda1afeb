import { FORMATS, type InputFormat } from '#contract/constants';

/** True if a file name's extension belongs to another format than the file's bytes. A name without extension never mismatches. */
export function extensionMismatch(filename: string, format: InputFormat): boolean {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1]?.toLowerCase();
  return extension !== undefined && !(FORMATS[format].extensions as readonly string[]).includes(extension);
}
