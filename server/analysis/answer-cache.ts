import { createHash } from 'node:crypto';
import { outlastOutage } from '../concurrency.ts';
import type { ImageRecord, VisionAnswerRepository } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import type { ModelAnswer } from './ask-model.ts';
import type { ProviderSettings } from './config.ts';
import type { Instructions } from './prompt.ts';

/** Fields that identify a picture in a question. */
export type QuestionImage = Pick<ImageRecord, '_id' | 'accountId' | 'sha256'>;

/** One question with the cache key of its answer. */
export interface Question {
  key: string;
  image: QuestionImage;
  jpeg: Buffer;
  instructions: Instructions;
  /** Job and image that ask, which pay for the answer if nobody has yet. */
  asker: string;
  /** Makes a smaller picture; null if that is not possible. */
  smaller: () => Promise<Buffer | null>;
  /** Learns when the wait for a model that is not there begins and ends. */
  onWait: (waits: boolean) => void;
  /** Job of the asker. */
  job: string;
  /** True to ask again though the answer is known. */
  isAnew: boolean;
}

/** Answers of the model, kept for 30 days: the same question of an account is asked and paid once. */
export interface AnswerCache {
  /** Builds the key of a question. It contains the account, so that accounts never share an answer. */
  keyOf(accountId: string, jpeg: Buffer, instructions: Instructions): string;
  /** Returns the answer; null also while the database does not respond. */
  find(question: Question): Promise<ModelAnswer | null>;
  /** Keeps an answer. A failure is logged: it must not lose the answer. */
  keep(question: Question, answer: ModelAnswer): Promise<void>;
  /** True if the asker is the first that gets the answer, and has to pay for it. */
  claim(accountId: string, key: string, asker: string, signal: AbortSignal): Promise<boolean>;
  /** Counts the uploads whose answer is to be paid for; equal uploads of an account count once. */
  countNew<Image extends QuestionImage>(images: Image[], instructed: (image: Image) => Instructions): Promise<number>;
  /** Counts uploads as `countNew` does, but as if no answer were known. */
  countDistinct<Image extends QuestionImage>(images: Image[], instructed: (image: Image) => Instructions): number;
}

interface AnswerCacheDeps {
  settings: ProviderSettings;
  cache: VisionAnswerRepository;
  logger: Pick<Logger, 'warn'>;
  now: () => Date;
}

/** Creates the cache of one model's answers. */
export function createAnswerCache({ settings, cache, logger, now }: AnswerCacheDeps): AnswerCache {
  /** Keys of questions before their picture is prepared. */
  const questionOf = (image: QuestionImage, instructions: Instructions) =>
    hashOf(settings, image.accountId, image.sha256, instructions);
  const questionsOf = <Image extends QuestionImage>(images: Image[], instructed: (image: Image) => Instructions) => [
    ...new Set(images.map((image) => questionOf(image, instructed(image)))),
  ];
  return {
    keyOf: (accountId, jpeg, instructions) =>
      hashOf(settings, accountId, createHash('sha256').update(jpeg).digest('hex'), instructions),
    async find({ key, image, asker, isAnew }) {
      const known = await cache.find(image.accountId, key).catch(() => null);
      // An asker that comes back, after an edit or an interruption, gets what it has asked for already.
      return known && (!isAnew || known.askedFor === asker) ? (known.answer as ModelAnswer) : null;
    },
    async keep({ key, image, instructions, asker, isAnew }, answer) {
      const { accountId } = image;
      const question = questionOf(image, instructions);
      const record = { _id: key, accountId, question, answer, askedFor: asker, createdAt: now() };
      await cache.put(record, isAnew).catch((error: unknown) => {
        logger.warn({ err: error }, 'could not store an answer of the vision service');
      });
    },
    claim: (accountId, key, asker, signal) => outlastOutage(() => cache.claim(accountId, key, asker), signal),
    async countNew(images, instructed) {
      const [first] = images;
      if (!first) return 0;
      const questions = questionsOf(images, instructed);
      return questions.length - (await cache.findAnswered(first.accountId, questions)).size;
    },
    countDistinct: (images, instructed) => questionsOf(images, instructed).length,
  };
}

function hashOf(
  { kind, baseUrl, model }: ProviderSettings,
  accountId: string,
  picture: string,
  { system, prompt, version }: Instructions,
): string {
  const parts = [accountId, picture, kind, baseUrl ?? null, model, version, system, prompt];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
