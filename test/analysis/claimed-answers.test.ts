import { describe, expect, it } from 'vitest';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { useVision } from './analysis-harness.ts';

const vision = useVision();

describe('a kept answer', () => {
  it('is paid by the first image that gets it, however often that asks, and by no other', async () => {
    const { visionAnswers } = vision.harness.database;
    const record = { _id: 'key', accountId: 'acct_1', question: 'question', answer: GOOD_ANSWER };
    await visionAnswers.put({ ...record, askedFor: 'job_1:img_1', createdAt: new Date() });
    const unpaid = await visionAnswers.findAnswered('acct_1', ['question']);
    expect(unpaid.size).toBe(0);
    const claims = await Promise.all(
      ['job_2:img_1', 'job_3:img_1', 'job_4:img_1'].map((payer) => visionAnswers.claim('acct_1', 'key', payer)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    const payer = `job_${claims.indexOf(true) + 2}:img_1`;
    expect(await visionAnswers.claim('acct_1', 'key', payer)).toBe(true);
    expect((await visionAnswers.findAnswered('acct_1', ['question'])).size).toBe(1);
    // Answers of an earlier version were delivered.
    await visionAnswers.put({ ...record, _id: 'old', question: 'old', createdAt: new Date() });
    expect(await visionAnswers.claim('acct_1', 'old', 'job_5:img_1')).toBe(false);
  });
});
