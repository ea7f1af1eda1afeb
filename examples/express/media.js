import { createHash, randomUUID } from 'node:crypto';
import * as disk from 'node:fs/promises';
import { extname, join } from 'node:path';

/** @typedef {{ name: string, file: string, sha256: string }} StoredFile */
/**
 * @typedef {object} Image
 * @property {number} id
 * @property {string} name
 * @property {string} title
 * @property {string} alt
 * @property {StoredFile} original never changed and never removed
 * @property {StoredFile[] | null} replaced the files that visitors get instead, `full` first
 */

/** An error with the HTTP status of its answer. */
export class MediaError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * The media of a small CMS: files in a folder, and `media.json` as the table of them. A change writes new files first and the table last, by a
 * rename, so that a crash between two steps leaves everything as it was.
 */
export class Media {
  #folder;
  #write;
  /** @type {Image[]} */
  #table = [];
  /** Changes run one after the other. @type {Promise<unknown>} */
  #queue = Promise.resolve();

  /** @param {string} folder @param {Pick<typeof disk, 'writeFile' | 'rename' | 'rm'>} [write] */
  constructor(folder, write = disk) {
    this.#folder = folder;
    this.#write = write;
  }

  /** Reads the table. @returns {Promise<this>} */
  async open() {
    this.#table = JSON.parse(await disk.readFile(join(this.#folder, 'media.json'), 'utf8').catch(() => '[]'));
    return this;
  }

  list() {
    return this.#table;
  }

  /** @param {string | number} id @returns {Image} */
  find(id) {
    const found = this.#table.find((one) => String(one.id) === String(id));
    if (!found) throw new MediaError(404, 'There is no such image.');
    return found;
  }

  /** @param {StoredFile} stored */
  read({ file }) {
    return disk.readFile(join(this.#folder, file));
  }

  /** @param {string} name @param {Uint8Array} bytes @returns {Promise<void>} */
  add(name, bytes) {
    return this.#inTurn(async () => {
      const id = Math.max(0, ...this.#table.map((one) => one.id)) + 1;
      const original = await this.#store('original', name, bytes);
      await this.#save([...this.#table, { id, name, title: name, alt: '', original, replaced: null }]);
    });
  }

  /**
   * Replaces an image; a replaced one again.
   * @param {string} id
   * @param {{ files: { name: string, filename: string, bytes: Uint8Array }[], uploaded: string, alt: string | null }} replacement
   *   `uploaded`: SHA-256 of the file that was optimized
   * @returns {Promise<void>}
   */
  replace(id, { files, uploaded, alt }) {
    return this.#inTurn(async () => {
      const before = this.find(id);
      if (before.original.sha256 !== uploaded) throw new MediaError(409, 'Another file was optimized.');
      await this.#requireUnchanged([before.original, ...(before.replaced ?? [])]);
      /** @type {StoredFile[]} */
      const replaced = [];
      try {
        for (const { name, filename, bytes } of files) replaced.push(await this.#store(name, filename, bytes));
        await this.#change(before, { ...before, replaced, alt: alt ?? before.alt });
      } catch (error) {
        await this.#remove(replaced);
        throw error;
      }
      await this.#remove(before.replaced ?? []);
    });
  }

  /** Puts the original back. @param {string} id @returns {Promise<boolean>} false if it was not replaced */
  restore(id) {
    return this.#inTurn(async () => {
      const before = this.find(id);
      if (!before.replaced) return false;
      await this.#requireUnchanged(before.replaced);
      await this.#change(before, { ...before, replaced: null });
      await this.#remove(before.replaced);
      return true;
    });
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #inTurn(work) {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /** @param {Image} before @param {Image} after */
  #change(before, after) {
    return this.#save(this.#table.map((one) => (one === before ? after : one)));
  }

  /** @param {Image[]} table */
  async #save(table) {
    const path = join(this.#folder, 'media.json');
    await this.#write.writeFile(`${path}.new`, JSON.stringify(table, null, 2));
    await this.#write.rename(`${path}.new`, path);
    this.#table = table;
  }

  /** @param {string} name @param {string} filename @param {Uint8Array} bytes @returns {Promise<StoredFile>} */
  async #store(name, filename, bytes) {
    const file = `${randomUUID()}${extname(filename)}`;
    await this.#write.writeFile(join(this.#folder, file), bytes);
    return { name, file, sha256: sha256(bytes) };
  }

  /** Removes files that nothing names any longer; one that stays harms nobody. @param {StoredFile[]} files */
  async #remove(files) {
    for (const { file } of files) await this.#write.rm(join(this.#folder, file), { force: true }).catch(() => {});
  }

  /** Refuses if somebody has changed files since. @param {StoredFile[]} files */
  async #requireUnchanged(files) {
    for (const stored of files) {
      const bytes = await this.read(stored).catch(() => new Uint8Array());
      if (sha256(bytes) !== stored.sha256) throw new MediaError(409, 'The image was changed meanwhile.');
    }
  }
}

/** @param {Uint8Array} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
