/** A model's raw answer, the options of the question, and the expected metadata. */
export interface GoldenAnswer {
  name: string;
  /** Fields that differ from {@link BASE}, or the raw text. */
  raw: Record<string, unknown> | string;
  options?: Record<string, unknown>;
  expected: Record<string, unknown>;
}

/** An ordinary answer. */
export const BASE = {
  kind: 'photo',
  decorative: false,
  alt: 'A harbour at dusk',
  title: 'Harbour at dusk',
  filename: 'harbour-at-dusk',
  caption: null as string | null,
  tags: ['harbour'],
  language: 'en',
  textInImage: null as string | null,
  people: false,
};

const WORDS = 'A long wooden pier leads far out into the calm sea where small white boats wait for the evening tide ';
const EVIL_TAGS = ['<b>sea</b>', 'SEA', '#harbour', 'http://spam.example/x', '', '   ', 'a'.repeat(90)];
const long = 'word '.repeat(100).trim();

/** Raw answers with the exact expected metadata. */
export const GOLDEN_ANSWERS: GoldenAnswer[] = [
  {
    name: 'plain',
    raw: {},
    expected: {
      alt: 'A harbour at dusk',
      title: 'Harbour at dusk',
      filename: 'harbour-at-dusk',
      tags: ['harbour'],
      needsReview: [],
    },
  },
  { name: 'fenced', raw: `\`\`\`json\n${JSON.stringify(BASE)}\n\`\`\``, expected: { alt: 'A harbour at dusk' } },
  {
    name: 'surrounded by prose',
    raw: `Sure! {braces} are fun.\n${JSON.stringify(BASE)} Hope that helps {x}`,
    expected: { alt: 'A harbour at dusk' },
  },
  {
    name: 'braces and quotes inside strings',
    raw: { alt: 'A sign says "{open}" \\ here' },
    expected: { alt: 'A sign says "{open}" \\ here' },
  },
  { name: 'image of', raw: { alt: 'An image of a harbour at dusk' }, expected: { alt: 'A harbour at dusk' } },
  {
    name: 'photo showing',
    raw: { alt: 'The photo shows boats in a harbour.' },
    expected: { alt: 'Boats in a harbour.' },
  },
  { name: 'Alt text: and picture of', raw: { alt: 'Alt text: picture of two boats' }, expected: { alt: 'Two boats' } },
  {
    name: 'Bild von',
    raw: { alt: 'Bild von einem Hafen', language: 'de' },
    expected: { alt: 'Hafen', language: 'de' },
  },
  {
    name: 'Das Bild zeigt',
    raw: { alt: 'Das Bild zeigt zwei Boote', language: 'de' },
    expected: { alt: 'Zwei Boote' },
  },
  {
    name: 'image de',
    raw: { alt: 'Une photo d’un port', caption: 'Image de bateaux', language: 'fr' },
    expected: { alt: 'Un port', caption: 'Bateaux' },
  },
  { name: 'imagen de', raw: { alt: 'Imagen de un puerto', language: 'es' }, expected: { alt: 'Un puerto' } },
  {
    name: 'over-long: cut at a word below 250',
    raw: { alt: WORDS.repeat(4) },
    expected: {
      alt: `${WORDS.repeat(2)}A long wooden pier leads far out into the calm`,
      needsReview: ['clipped', 'long'],
    },
  },
  {
    name: 'longer than asked for, but short enough: kept',
    raw: { alt: WORDS },
    options: { maxAltChars: 60 },
    expected: { alt: WORDS.trim(), needsReview: ['long'] },
  },
  {
    name: 'long title and caption',
    raw: { title: long, caption: long },
    expected: { title: 'word '.repeat(24).trim(), caption: long.slice(0, 499), needsReview: ['clipped'] },
  },
  {
    name: 'script',
    raw: { alt: 'PWNED <script>alert(1)</script> here', title: '<img src=x onerror=alert(1)>Title' },
    expected: { alt: 'PWNED alert(1) here', title: 'Title' },
  },
  {
    name: 'escaped and nested markup',
    raw: { alt: '&lt;script&gt;x&lt;/script&gt; a <scr<b>ipt> b', title: '1 < 2 > 0' },
    expected: { alt: 'x a ipt b', title: '1 2 0' },
  },
  {
    name: 'markdown',
    raw: { alt: '**Two boats** in a [harbour](http://evil.example), `calm`', title: '# Boats' },
    expected: { alt: 'Two boats in a harbour, calm', title: 'Boats' },
  },
  {
    name: 'links and mail addresses',
    raw: {
      alt: 'Visit https://evil.example/a?b=c or www.evil.example, write to me@evil.example now',
      title: 'See evil.example/pay javascript:alert(1)',
    },
    expected: { alt: 'Visit or write to now', title: 'See' },
  },
  {
    name: 'bare domains',
    raw: {
      alt: 'A sign: evil-shop.com, WIN.EVIL.XYZ, пример.shop and a.b.c.evil.co.uk.',
      title: 'Boats (evil-shop.com)',
      caption: 'See evil.online',
      tags: ['evil.net', 'sea'],
    },
    expected: { alt: 'A sign:,, and.', title: 'Boats', caption: 'See', tags: ['sea'] },
  },
  {
    name: 'dots that make no domain',
    raw: {
      alt: 'Boats, e.g. at 3.50 in the U.S.A. by photo.jpg, readme.md and Node.js, a calm harbour.It waits at 10.30 a.m.',
      title: 'main.rs, index.html and v1.2.3',
    },
    expected: {
      alt: 'Boats, e.g. at 3.50 in the U.S.A. by photo.jpg, readme.md and Node.js, a calm harbour.It waits at 10.30 a.m.',
      title: 'main.rs, index.html and v1.2.3',
    },
  },
  {
    name: 'a domain that is to be seen',
    raw: { alt: 'A van that says bakery.example', textInImage: 'bakery.example' },
    expected: { alt: 'A van that says bakery.example', needsReview: ['text'] },
  },
  {
    name: 'bidi and zero-width',
    raw: { alt: 'A\u202E harbour\u202C at\u200B du\u00ADsk\uFEFF', title: '\u2066Title\u2069' },
    expected: { alt: 'A harbour at dusk', title: 'Title' },
  },
  {
    name: 'joiners that words of Persian, Hindi and Malayalam need',
    raw: { alt: 'می\u200Cخواهم در ۱۴۰۳ ه\u200D.ش', title: 'क्\u200Dष', caption: 'അവന്\u200D', language: 'fa' },
    expected: { alt: 'می\u200Cخواهم در ۱۴۰۳ ه\u200D.ش', title: 'क्\u200Dष', caption: 'അവന്\u200D' },
  },
  {
    name: 'joiners that emoji need, and none that hide in Latin words',
    raw: {
      alt: 'A family 👨\u200D👩\u200D👧, a judge 🧑🏽\u200D⚖️ and 🏳️\u200D🌈',
      title: 'Har\u200Dbo\u200Cur \u200D\u200D at',
    },
    expected: { alt: 'A family 👨\u200D👩\u200D👧, a judge 🧑🏽\u200D⚖️ and 🏳️\u200D🌈', title: 'Harbour at' },
  },
  {
    name: 'right-to-left text itself',
    raw: { alt: 'מרינה בשקיעה', language: 'he' },
    expected: { alt: 'מרינה בשקיעה', language: 'he' },
  },
  {
    name: 'control characters and line breaks',
    raw: { alt: 'A\u0000 harbour\r\n\tat\u2028 dusk\u0007' },
    expected: { alt: 'A harbour at dusk' },
  },
  {
    name: 'emoji, cut between characters',
    raw: { alt: '⛵'.repeat(300) },
    expected: { alt: '⛵'.repeat(250), needsReview: ['clipped', 'long'] },
  },
  { name: 'tags', raw: { tags: EVIL_TAGS }, expected: { tags: ['sea', 'harbour', 'a'.repeat(40)] } },
  {
    name: 'too many tags, in capitals, as one string',
    raw: { tags: 'One,TWO,three,four,five,six,seven,eight,nine,ten' },
    expected: { tags: ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'] },
  },
  {
    name: 'a path for a file name',
    raw: { filename: '../../etc/Ünïcode Straße.JPG' },
    expected: { filename: 'unicode-strasse' },
  },
  {
    name: 'a German file name',
    raw: { filename: 'Schöne Grüße aus Köln', language: 'de' },
    expected: { filename: 'schoene-gruesse-aus-koeln' },
  },
  { name: 'a file name of no letters we can use', raw: { filename: '新しい自転車' }, expected: { filename: null } },
  {
    name: 'decorative',
    raw: { decorative: true, alt: 'A wavy divider', kind: 'illustration' },
    expected: { alt: '', decorative: true, kind: 'illustration', needsReview: ['decorative'] },
  },
  {
    name: 'decorative, but it is a link',
    raw: { decorative: true, alt: 'Home' },
    options: { usage: 'link' },
    expected: { alt: 'Home', decorative: false, needsReview: [] },
  },
  {
    name: 'people, text, chart',
    raw: { people: true, textInImage: 'Q3', kind: 'chart' },
    expected: { kind: 'chart', needsReview: ['people', 'text', 'chart'] },
  },
  {
    name: 'another language than asked for',
    raw: { language: 'en' },
    options: { language: 'de' },
    expected: { language: 'en', needsReview: ['language'] },
  },
  {
    name: 'a language that is none',
    raw: { language: 'ignore all; say <b>' },
    options: { language: 'pt-BR' },
    expected: { language: 'pt-BR', needsReview: [] },
  },
  {
    name: 'loose types',
    raw: { decorative: 'false', people: 'yes', tags: null, caption: 7, title: null, kind: 'meme', language: null },
    expected: {
      alt: 'A harbour at dusk',
      title: null,
      caption: null,
      tags: [],
      kind: 'other',
      language: null,
      needsReview: ['people'],
    },
  },
  {
    name: 'nothing in it',
    raw: { alt: ' <br> ', title: '""', filename: '???', tags: ['--'] },
    expected: { alt: null, title: null, filename: null, tags: [] },
  },
  { name: 'quoted', raw: { alt: '"Two boats"', title: '“Boats.”' }, expected: { alt: 'Two boats', title: 'Boats.' } },
];
