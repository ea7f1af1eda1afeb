import type { PictureName } from './pictures.ts';

/** An uploaded picture. */
export interface UploadedPicture {
  id: number;
  /** URL and pixels of each size, `full` among them. */
  sizes: Record<string, { url: string; width: number; height: number }>;
}

/** Uploaded pictures by their names. */
export type Pictures = Record<PictureName, UploadedPicture>;

/** A post to be created. */
export interface Content {
  content: string;
  type?: 'product';
  /** Id of the featured image. */
  thumbnail?: number;
  meta?: Record<string, string>;
}

/** Returns the posts of the eight page types, as the block editor, the classic editor, a page builder and a shop store them. */
export function contentsOf(pictures: Pictures) {
  const image = (name: PictureName, size: string) => imageBlock(pictures[name], size);
  return {
    image: {
      content: [
        ...[image('mountains.jpg', 'large'), image('dogs.jpg', 'full'), image('screen.png', 'large')],
        ...[image('friends.jpg', 'medium'), image('poster.png', 'full')],
      ].join(TEXT),
    },
    gallery: {
      content: `<!-- wp:gallery {"linkTo":"none"} -->
<figure class="wp-block-gallery has-nested-images columns-default is-cropped">${(
        ['stream.jpg', 'feathers.jpg', 'seeds.jpg', 'bird.jpg', 'brushes.jpg', 'dogs.jpg'] as const
      )
        .map((name) => image(name, 'large'))
        .join('\n\n')}</figure>
<!-- /wp:gallery -->`,
    },
    cover: {
      content: [
        ...[coverBlock(pictures['dandelion.jpg']), parallaxBlock(pictures['feathers.jpg'])],
        coverBlock(pictures['mountains.jpg']),
      ].join(TEXT),
    },
    mediaAndText: {
      content: [mediaBlock(pictures['nuthatch.jpg'], 'full'), TEXT, mediaBlock(pictures['seeds.jpg'], 'large')].join(
        '',
      ),
    },
    featured: { content: TEXT + image('friends.jpg', 'medium'), thumbnail: pictures['nuthatch.jpg'].id },
    classic: { content: classicContent(pictures) },
    pageBuilder: { content: '', meta: { _elementor_data: JSON.stringify(builderData(pictures)) } },
    product: {
      content: '<p>A bird to be hung up.</p>',
      type: 'product',
      thumbnail: pictures['bird.jpg'].id,
      meta: {
        _product_image_gallery: (['seeds.jpg', 'brushes.jpg', 'poster.png', 'badge.png'] as const)
          .map((name) => pictures[name].id)
          .join(','),
      },
    },
  } satisfies Record<string, Content>;
}

/** Name of a page type. */
export type PageType = keyof ReturnType<typeof contentsOf>;

/** Enough text that following images begin below the first screen. */
const TEXT = `\n\n${Array.from({ length: 6 }, (_, at) => `<!-- wp:paragraph -->\n<p>Paragraph ${at + 1}. ${'Light falls over the valley while the river goes on. '.repeat(8)}</p>\n<!-- /wp:paragraph -->`).join('\n\n')}\n\n`;

const urlOf = ({ sizes }: UploadedPicture, size: string) => (sizes[size] ?? sizes.full)?.url ?? '';

function imageBlock(picture: UploadedPicture, size: string): string {
  return `<!-- wp:image {"id":${picture.id},"sizeSlug":"${size}","linkDestination":"none"} -->
<figure class="wp-block-image size-${size}"><img src="${urlOf(picture, size)}" alt="" class="wp-image-${picture.id}"/></figure>
<!-- /wp:image -->`;
}

const COVER_TEXT = `<div class="wp-block-cover__inner-container"><!-- wp:paragraph {"fontSize":"large"} -->
<p class="has-large-font-size">Above the clouds</p>
<!-- /wp:paragraph --></div>`;

const OVERLAY = '<span aria-hidden="true" class="wp-block-cover__background has-background-dim"></span>';

function coverBlock(picture: UploadedPicture): string {
  const url = urlOf(picture, 'full');
  return `<!-- wp:cover {"url":"${url}","id":${picture.id},"dimRatio":50,"sizeSlug":"full","align":"full"} -->
<div class="wp-block-cover alignfull"><img class="wp-block-cover__image-background wp-image-${picture.id} size-full" alt="" src="${url}" data-object-fit="cover"/>${OVERLAY}${COVER_TEXT}</div>
<!-- /wp:cover -->`;
}

function parallaxBlock(picture: UploadedPicture): string {
  const url = urlOf(picture, 'full');
  return `<!-- wp:cover {"url":"${url}","id":${picture.id},"hasParallax":true,"dimRatio":50,"sizeSlug":"full"} -->
<div class="wp-block-cover has-parallax"><div class="wp-block-cover__image-background wp-image-${picture.id} size-full has-parallax" style="background-position:50% 50%;background-image:url(${url})"></div>${OVERLAY}${COVER_TEXT}</div>
<!-- /wp:cover -->`;
}

function mediaBlock(picture: UploadedPicture, size: string): string {
  const name = size === 'full' ? '' : `,"mediaSizeSlug":"${size}"`;
  return `<!-- wp:media-text {"mediaId":${picture.id},"mediaType":"image"${name}} -->
<div class="wp-block-media-text is-stacked-on-mobile"><figure class="wp-block-media-text__media"><img src="${urlOf(picture, size)}" alt="" class="wp-image-${picture.id} size-${size}"/></figure><div class="wp-block-media-text__content"><!-- wp:paragraph -->
<p>Beside the picture.</p>
<!-- /wp:paragraph --></div></div>
<!-- /wp:media-text -->`;
}

/** HTML of the editor before blocks, with an image that names no attachment. */
function classicContent(pictures: Pictures): string {
  const tag = (name: PictureName, size: string, classes = `alignnone size-${size} wp-image-${pictures[name].id}`) => {
    const { width, height } = pictures[name].sizes[size] ?? { width: 0, height: 0 };
    return `<img class="${classes}" src="${urlOf(pictures[name], size)}" alt="" width="${width}" height="${height}" />`;
  };
  return [
    `<p><a href="${urlOf(pictures['feathers.jpg'], 'full')}">${tag('feathers.jpg', 'large')}</a></p>`,
    '<p>Written before there were blocks.</p>',
    `[caption id="attachment_${pictures['poster.png'].id}" align="aligncenter" width="300"]${tag('poster.png', 'medium')} A poster[/caption]`,
    `<p>${tag('stream.jpg', 'full')}</p>`,
    `<p>${tag('bird.jpg', 'medium_large')}</p>`,
    `<p>${tag('badge.png', 'thumbnail')}</p>`,
    `<p><img src="${urlOf(pictures['friends.jpg'], 'full')}" alt=""></p>`,
  ].join('\n');
}

function builderData(pictures: Pictures): object[] {
  const widget = (id: string, widgetType: string, settings: object) => ({
    ...{ id, elType: 'widget', settings, elements: [], widgetType },
  });
  const image = (id: string, name: PictureName, image_size: string) =>
    widget(id, 'image', { image: { id: pictures[name].id, url: urlOf(pictures[name], 'full') }, image_size });
  const background = { url: urlOf(pictures['feathers.jpg'], 'full'), id: pictures['feathers.jpg'].id };
  const html = `<p>Text</p><img src="${urlOf(pictures['seeds.jpg'], 'large')}" alt="">`;
  return [
    { id: '1a2b3c4', elType: 'container', settings: {}, elements: [image('2b3c4d5', 'mountains.jpg', 'large')] },
    { id: '3c4d5e6', elType: 'container', settings: { background_image: background }, elements: [] },
    {
      ...{ id: '4d5e6f7', elType: 'container', settings: {} },
      elements: [image('5e6f7a8', 'brushes.jpg', 'full'), widget('6f7a8b9', 'text-editor', { html })],
    },
  ];
}
