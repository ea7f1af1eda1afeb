import { describe, expect, it } from 'vitest';
import { createAdmission } from '../../server/jobs/jobs.ts';

const paid = (accountId = 'payer') => ({ accountId, isPaid: true });
const free = (accountId = 'visitor') => ({ accountId, isPaid: false });

describe('the room of a job', () => {
  it('is taken once, whoever asks for it again', () => {
    const admission = createAdmission({ maxQueuedImages: 10 });
    expect(admission.admit('job_a', 5, paid())).toBe(true);
    expect(admission.admit('job_a', 5, paid())).toBe(false);
    expect(admission.waiting).toBe(5);
    admission.imageDone('job_a');
    expect(admission.admit('job_a', 5, paid())).toBe(false);
    expect(admission.waiting).toBe(4);
    admission.forget('job_a');
    expect(admission.waiting).toBe(0);
  });

  it('is what is left of it when the job is taken up again', () => {
    const admission = createAdmission({ maxQueuedImages: 10 });
    admission.admit('job_a', 5, paid('a'));
    admission.admit('job_b', 2, paid('b'));
    admission.readmit('job_a', 5, paid('a'));
    expect(admission.waiting).toBe(7);
    admission.readmit('job_a', 3, paid('a'));
    expect(admission.waiting).toBe(5);
    admission.forget('job_a');
    admission.forget('job_a');
    expect(admission.waiting).toBe(2);
  });
});

describe('of 2000 images that may wait', () => {
  it('one account has no more than half, and another one still finds room', () => {
    const admission = createAdmission({ maxQueuedImages: 2000 });
    admission.admit('job_a', 900, paid());
    expect(() => admission.admit('job_b', 101, paid())).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    expect(admission.admit('job_b', 100, paid())).toBe(true);
    expect(admission.admit('job_c', 1000, paid('another'))).toBe(true);
    expect(() => admission.admit('job_d', 1, paid('third'))).toThrow(expect.objectContaining({ code: 'overloaded' }));
  });

  it('free work has no more than half, of one account 100', () => {
    const admission = createAdmission({ maxQueuedImages: 2000 });
    const sample = (account: string, index: number) => admission.admit(`job_${account}${index}`, 5, free(account));
    for (let index = 0; index < 20; index += 1) sample('a', index);
    expect(() => sample('a', 20)).toThrow(
      expect.objectContaining({
        code: 'rate_limited',
        details: { queued: 100, limit: 100 },
        headers: { 'Retry-After': '50' },
      }),
    );
    for (const account of 'bcdefghij') for (let index = 0; index < 20; index += 1) sample(account, index);
    expect(() => sample('k', 0)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    expect(admission.admit('job_paid', 500, paid('a'))).toBe(true);
  });

  it('a job above the share of its account is admitted if none of its account waits', () => {
    const admission = createAdmission({ maxQueuedImages: 2000 });
    expect(admission.admit('job_a', 500, free())).toBe(true);
    expect(() => admission.admit('job_b', 1, free())).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  });
});
