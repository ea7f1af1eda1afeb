import { join } from 'node:path';
import sharp from 'sharp';
import { storedFiles } from '../support/aftermath.ts';

/**
 * Files of a data directory that nobody should find after a recovery.
 * @param sound files found whole before, which are not decoded again; the new ones are added
 */
export async function faultyFiles(dataDir: string, sound = new Set<string>()): Promise<string[]> {
  const files = (await storedFiles({ dataDir })).filter((file) => !sound.has(file));
  const temporary = files.filter((file) => /^incoming\/|\.(part|link)$/.test(file));
  const images = files.filter((file) => /^variants\/|\/exports\//.test(file) && !temporary.includes(file));
  const faulty: string[] = [];
  for (const file of images) {
    if (await decodes(join(dataDir, 'files', file))) sound.add(file);
    else faulty.push(file);
  }
  return [...temporary, ...faulty];
}

async function decodes(file: string): Promise<boolean> {
  try {
    await sharp(file, { failOn: 'error', animated: true }).raw().toBuffer();
    return true;
  } catch {
    return false;
  }
}
