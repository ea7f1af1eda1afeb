import type { Connection } from '../connect.ts';
import type { Migration } from './migration.ts';

/** Files of an image as they were stored, as far as they are needed. */
interface OlderOutput {
  /** `<namespace>:<imageId>:<hash of the settings>`. */
  _id: string;
  accountId: string;
  sessionId: string;
  namespace: string;
  names: string[];
}

interface Names extends OlderOutput {
  number: number;
}

/** Reserves the names of files for their image, which were reserved for image and settings before. */
export const namesOfImages: Migration = {
  name: 'file names belong to images in all settings',
  async apply(connection: Connection, report) {
    const outputs = connection.collection<OlderOutput>('outputs');
    const reserved = connection.collection<Names>('output_names');
    const fields = { accountId: 1, sessionId: 1, namespace: 1, names: 1 };
    let done = 0;
    for await (const output of outputs.find({}, { projection: fields })) {
      const { accountId, sessionId, namespace, names } = output;
      const _id = output._id.split(':').slice(0, 2).join(':');
      const held = await reserved.findOne({ _id });
      const all = [...new Set([...(held?.names ?? []), ...names])];
      const record = { accountId, sessionId, namespace, names: all, number: held?.number ?? 1 };
      await reserved.replaceOne({ _id }, record, { upsert: true });
      done += 1;
      if (done % 1000 === 0) report(done);
    }
  },
};
