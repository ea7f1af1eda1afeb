/** Settings of the export. */
export const SETTINGS = { format: 'webp', preset: 'high' } as const;

/** The file to upload, from the environment. */
export const IMAGE = new File([Buffer.from(process.env.IMAGEWRIGHT_IMAGE ?? '', 'base64')], 'picture.png', {
  type: 'image/png',
});

/** Prints the outcome for the test. */
export async function report(jobId: string, statuses: string[], file: Blob): Promise<void> {
  const bytes = Buffer.from(await file.arrayBuffer());
  console.log(JSON.stringify({ jobId, statuses, format: bytes.toString('latin1', 8, 12) }));
}
