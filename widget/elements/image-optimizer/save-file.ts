/** Time for the browser to start a download, in milliseconds. */
const GRACE_MS = 10_000;

/** Saves a file as a download of the browser. */
export function saveFile(blob: Blob, filename: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), GRACE_MS);
}
