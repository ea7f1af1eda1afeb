import { describe, expect, it } from 'vitest';
import { createAdmission } from '../../server/jobs/admission.ts';

describe('the room of a job', () => {
  it('is taken once, whoever asks for it again', () => {
    const admission = createAdmission({ maxQueuedImages: 10 });
    expect(admission.admit('job_a', 5)).toBe(true);
    expect(admission.admit('job_a', 5)).toBe(false);
    expect(admission.waiting).toBe(5);
    admission.imageDone('job_a');
    expect(admission.admit('job_a', 5)).toBe(false);
    expect(admission.waiting).toBe(4);
    admission.forget('job_a');
    expect(admission.waiting).toBe(0);
  });

  it('is what is left of it when the job is taken up again', () => {
    const admission = createAdmission({ maxQueuedImages: 10 });
    admission.admit('job_a', 5);
    admission.admit('job_b', 2);
    admission.readmit('job_a', 5);
    expect(admission.waiting).toBe(7);
    admission.readmit('job_a', 3);
    expect(admission.waiting).toBe(5);
    admission.forget('job_a');
    admission.forget('job_a');
    expect(admission.waiting).toBe(2);
  });
});
