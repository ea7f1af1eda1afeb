import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { DamagedFileError } from '../../errors.ts';

/**
 * Passes a stream on and keeps its last chunk back until the hash of all is right; a reader of damaged bytes gets an error instead of
 * an end.
 */
export function checkedStream(source: Readable, { key, sha256 }: { key: string; sha256: string }): Readable {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      const ready = held;
      held = chunk;
      done(null, ready);
    },
    flush(done) {
      if (hash.digest('hex') === sha256) done(null, held);
      else done(new DamagedFileError(key));
    },
  });
  source.once('error', (error) => checked.destroy(error));
  checked.once('close', () => source.destroy());
  return source.pipe(checked);
}
