import { type FakeVisionServer, GOOD_ANSWER } from '../support/fake-vision-server.ts';

/** Answers of a good model by the photographs' width divided by their height. */
const WORDS: [ratio: number, answer: { filename: string; title: string; alt: string }][] = [
  [
    1600 / 1200,
    {
      filename: 'path-below-grey-mountains',
      title: 'Path below grey mountains',
      alt: 'A path leads over a meadow towards grey mountains with patches of snow',
    },
  ],
  [
    1600 / 900,
    {
      filename: 'nuthatch-on-a-tree-trunk',
      title: 'Nuthatch on a tree trunk',
      alt: 'A nuthatch climbs head first down the bark of a tree',
    },
  ],
  [
    1600 / 2403,
    {
      filename: 'two-dogs-at-a-doorway',
      title: 'Two dogs at a doorway',
      alt: 'Two brown puppies look out beside a white wooden wall',
    },
  ],
  [
    1600 / 1065,
    {
      filename: 'stream-between-mossy-stones',
      title: 'Stream between mossy stones',
      alt: 'A narrow stream runs between mossy stones in a forest',
    },
  ],
];

/** Endings of the alternative texts of photographs with the same shape, in the order of their questions. */
const BESIDES = ['', 'in the morning', 'from closer by', 'after the rain', 'in late autumn', 'on another day'];

/** Makes the model answer each question about a photograph with words that fit it. */
export function describePhotos(vision: FakeVisionServer): void {
  const seen = new Map<string, number>();
  vision.answer = {
    toJSON() {
      const ratio = ratioOf(vision.requests.at(-1)?.image ?? Buffer.alloc(0));
      const [, words] = WORDS.find(([known]) => Math.abs(known - ratio) < 0.02) ?? [0, BRUSHES];
      const time = seen.get(words.alt) ?? 0;
      seen.set(words.alt, time + 1);
      const besides = BESIDES[time % BESIDES.length] ?? '';
      const say = (text: string, space: string) => `${text}${space}${besides.replaceAll(' ', space)}`;
      const told = besides
        ? { filename: say(words.filename, '-'), title: say(words.title, ' '), alt: say(words.alt, ' ') }
        : words;
      return { ...GOOD_ANSWER, caption: null, tags: [], ...told };
    },
  };
}

const BRUSHES = {
  filename: 'brushes-in-a-jar',
  title: 'Brushes in many colours',
  alt: 'Brushes and pencils in many colours',
};

/** Width divided by height, from the frame header of a JPEG; 1 of anything else. */
function ratioOf(bytes: Buffer): number {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xc3) return bytes.readUInt16BE(at + 7) / bytes.readUInt16BE(at + 5);
  }
  return 1;
}
