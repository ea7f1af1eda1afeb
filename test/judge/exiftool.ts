import { execFileSync } from 'node:child_process';

/** True where `exiftool` is installed. */
export const hasExiftool = isInstalled();
if (!hasExiftool) console.warn('SKIPPED: exiftool is not installed, so places are looked for by our own check alone.');

function isInstalled(): boolean {
  try {
    return execFileSync('exiftool', ['-ver'], { stdio: ['ignore', 'pipe', 'ignore'] }).length > 0;
  } catch {
    return false;
  }
}

/** Names of tags that tell a place, a serial number or a thumbnail. */
const TELLING = /GPS|\bCity\b|Location|Latitude|Longitude|SerialNumber|Thumbnail(?:Image|Offset)|PreviewImage|Secret/i;

/** Returns what `exiftool` finds of a place, a serial number or a thumbnail in files, one line each. */
export function placesByExiftool(paths: string[]): string[] {
  if (!hasExiftool || paths.length === 0) return [];
  const said = execFileSync('exiftool', ['-a', '-G1', '-s', '-u', '-ee', '-j', ...paths], { maxBuffer: 1 << 28 });
  const files = JSON.parse(said.toString('utf8')) as Record<string, unknown>[];
  return files.flatMap((file) =>
    Object.entries(file)
      .filter(
        ([tag, value]) =>
          !/^(?:System|ExifTool):|^SourceFile$/.test(tag) && (TELLING.test(tag) || TELLING.test(String(value))),
      )
      .map(([tag, value]) => `${String(file.SourceFile)}: ${tag} ${String(value)}`),
  );
}

/** Returns the values of all XMP that `exiftool` finds in files. */
export function textsByExiftool(paths: string[]): string[] {
  const said = execFileSync('exiftool', ['-a', '-G1', '-s', '-XMP:all', '-j', ...paths], { maxBuffer: 1 << 28 });
  return (JSON.parse(said.toString('utf8')) as Record<string, unknown>[]).flatMap((file) =>
    Object.values(file).map(String),
  );
}
