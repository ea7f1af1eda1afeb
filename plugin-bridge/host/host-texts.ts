import type { HostErrorCode } from './host-error.ts';

/** Texts about images that were not replaced or restored. A host's `strings()` may replace each by its key. */
export const HOST_TEXTS: Record<`host.${HostErrorCode | 'already_replaced' | 'other_images' | 'result_gone'}`, string> =
  {
    'host.already_replaced': 'The image is already optimized.',
    'host.other_images': 'There are other images in the list: finish or remove them first.',
    'host.result_gone': 'The service no longer has the result: optimize the image again.',
    'host.not_found': 'The image is no longer there.',
    'host.forbidden': 'You may not change this image.',
    'host.expired': 'You have been logged out. Log in and continue.',
    'host.locked': 'Another user or another tab is working on it.',
    'host.changed': 'The image was changed meanwhile: optimize it again.',
    'host.unsupported': 'This format cannot be used here.',
    'host.no_space': 'There is no space left.',
    'host.larger': 'The result would be larger than the original.',
    'host.no_gain': 'It cannot be made smaller.',
    'host.sample': 'A sample is only a preview: export the image first.',
    'host.damaged': 'The download was damaged. Try again.',
    'host.not_exported': 'The image could not be exported.',
    'host.no_backup': 'The original is missing or damaged.',
    'host.stopped': 'Stopped.',
    'host.failed': 'The operation failed.',
  };

/** Key of one of {@link HOST_TEXTS}. */
export type HostTextKey = keyof typeof HOST_TEXTS;

/** Returns a lookup of the texts that prefers `strings`. */
export function hostTexts(strings: Partial<Record<string, string>> = {}): (key: HostTextKey) => string {
  return (key) => strings[key] ?? HOST_TEXTS[key];
}
