import type { Json } from './openapi-schemas.ts';

const SESSION = 'sess_4Jm0q7Wz2Rk9Tb1Xc5Yd8V';
const IMAGE = 'img_8Qn3v6Bx1Lp4Zr7Gt0Hw2K';
const JOB = 'job_1Fa5s9Dk3Mc7Ne2Ub6Pi0Y';
const AT = '2026-01-31T12:00:00.000Z';
const LATER = '2026-02-01T12:00:00.000Z';

const order = {
  images: [{ id: IMAGE, metadata: { filename: 'paint-brushes' } }],
  settings: { format: 'webp', preset: 'high', responsive: true, responsiveSizes: [480, 960] },
};
const analysis = { images: [IMAGE], options: { language: 'en', context: 'A shop for paint and brushes.' } };
const texts = { title: 'Paint brushes', alt: 'Five brushes with wooden handles in a jar.' };

const uploadedImage = {
  id: IMAGE,
  originalFilename: 'DSC1.jpg',
  uploadPath: `sessions/${SESSION}/${IMAGE}.jpg`,
  mimeType: 'image/jpeg',
  format: 'jpeg',
  size: 812_345,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  width: 4032,
  height: 3024,
  hasAlpha: false,
  pages: 1,
  clientRef: '42',
  position: 0,
  warnings: [],
  metadata: null,
};

/** Examples of JSON bodies, by operation. */
export const REQUEST_EXAMPLES: Record<string, Json> = {
  analyzeImages: analysis,
  analyzeImagesFlat: { sessionId: SESSION, ...analysis },
  exportImages: order,
  exportImagesFlat: { sessionId: SESSION, ...order },
  sampleImages: order,
  updateImage: { metadata: { filename: 'paint-brushes', ...texts } },
  checkCredits: { imageCount: 12, operation: 'export' },
  createToken: { origin: 'https://www.example.com', maxCredits: 5 },
  createShare: { days: 7, sender: 'Example Shop' },
  logIn: { email: 'ada@example.com', password: 'correct horse battery' },
  createKey: { name: 'build server' },
};

/** Examples of JSON answers, by operation. */
export const ANSWER_EXAMPLES: Record<string, Json> = {
  createSession: {
    sessionId: SESSION,
    createdAt: AT,
    expiresAt: LATER,
    images: [uploadedImage],
    rejected: [
      {
        originalFilename: 'notes.txt',
        clientRef: null,
        status: 415,
        code: 'unsupported_image',
        error: 'The file "notes.txt" is not an image of a supported format',
      },
    ],
  },
  getBalance: {
    balance: 17,
    plan: 'free',
    used: 8,
    granted: 25,
    keys: { used: 1, limit: 1 },
    limits: { samplesPerDay: null, analysesPerDay: null, storageMb: null, sessions: null },
    updatedAt: AT,
  },
  checkCredits: {
    operation: 'export',
    imageCount: 12,
    costPerImage: 1,
    cost: 12,
    balance: 17,
    balanceAfter: 5,
    sufficient: true,
    shortfall: 0,
  },
  createToken: {
    token: `iwt_${'0'.repeat(36)}`,
    expiresAt: '2026-01-31T13:00:00.000Z',
    origin: 'https://www.example.com',
    sessionId: null,
    maxCredits: 5,
    maxSamples: 10,
    maxAnalyses: 10,
  },
  cancelJob: {
    jobId: JOB,
    sessionId: SESSION,
    kind: 'export',
    status: 'cancelled',
    current: 0,
    total: 1,
    createdAt: AT,
    finishedAt: AT,
    settings: null,
    options: null,
    results: [],
    summary: null,
    credits: { charged: 1, refunded: 1, balance: 17 },
    error: { code: 'job_cancelled', message: 'The job was cancelled before this was done.' },
  },
};
