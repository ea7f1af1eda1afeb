import type { Messages } from '../messages.ts';

/** English texts about failures, rejections and notices. */
export const englishErrors = {
  'notice.analysis_fallback':
    'The description service did not answer for {count} image.|The description service did not answer for {count} images.',
  'notice.analysis_loading':
    'The image model is still loading. {count} image has no description yet.|The image model is still loading. {count} images have no description yet.',
  'notice.analyze_failed': '{count} image could not be described.|{count} images could not be described.',
  'notice.check-cost': 'Check again',
  'notice.details': 'Details',
  'notice.dismiss': 'Dismiss',
  'notice.download_failed': '{count} file could not be downloaded.|{count} files could not be downloaded.',
  'notice.elsewhere': 'This export was already started. Nothing is charged twice.',
  'notice.expired':
    'The service keeps images for {hours} hours after the last use. Yours are gone, your texts are not: add the images again.',
  'notice.export_failed':
    '{count} image could not be exported and was not charged.|{count} images could not be exported and were not charged.',
  'notice.more': 'and {count} more|and {count} more',
  'notice.no_model': 'This service has no image model. Write the texts yourself.',
  'notice.offline': 'You are offline. Work continues when the connection is back.',
  'notice.renew': 'Upload again',
  'notice.request': 'Request {id}',
  'notice.sample_failed': '{count} image of the sample failed.|{count} images of the sample failed.',
  'notice.save_failed':
    'The texts of {count} image could not be saved.|The texts of {count} images could not be saved.',
  'notice.upload_failed': '{count} image could not be uploaded.|{count} images could not be uploaded.',
  'warning.alpha_flattened': 'Transparency became white.',
  'warning.animation_dropped': 'Only the first frame of the animation was kept.',
  'warning.cmyk_converted': 'Print colours were converted for screens.',
  'warning.no_gain': 'No file would get smaller, so nothing was charged.',
  'warning.pages_dropped': 'Only the first page was kept.',
} satisfies Messages;
