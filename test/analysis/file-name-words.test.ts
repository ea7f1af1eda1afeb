import { describe, expect, it } from 'vitest';
import { fileNameWords } from '../../server/analysis/describe-from-file.ts';
import { expectSteady } from '../support/cpu-time.ts';

describe('fileNameWords', () => {
  it.each<[string, string]>([
    ['red-bicycle_front-view-1920x1080.jpg', 'red bicycle front view'],
    ['golden-gate-at-sunset.webp', 'golden gate at sunset'],
    ['GoldenGateBridge.jpg', 'Golden Gate Bridge'],
    ['HTMLCourseBanner.png', 'HTML Course Banner'],
    ['Größe-Übersicht.png', 'Größe Übersicht'],
    ['新しい自転車.jpg', '新しい自転車'],
    ['красный_велосипед.jpeg', 'красный велосипед'],
    ['summer sale (1).jpg', 'summer sale'],
    ['summer-sale-2.jpg', 'summer sale'],
    ['hero-banner@2x.png', 'hero banner'],
    ['team-photo-scaled.jpg', 'team photo'],
    ['team-photo-640w.webp', 'team photo'],
    ['kitchen-1024x768-1.jpg', 'kitchen'],
    ['2023-05-17_wedding-cake.jpg', 'wedding cake'],
    ['20230517_wedding_cake.jpg', 'wedding cake'],
    ['oak-table-a3f9c2d1e4b5.jpg', 'oak table'],
    ['3f2504e0-4f89-11d3-9a0c-0305e82c3301-harbour.png', 'harbour'],
    ['IMG_2034-sunset-beach.jpg', 'sunset beach'],
    ['iPhone15-review.png', 'iPhone15 review'],
    ['photo-of-a-dog.jpg', 'photo of a dog'],
    ['scan-of-contract.png', 'scan of contract'],
    ['image-gallery-header.png', 'image gallery header'],
    ['C:\\Users\\me\\Pictures\\old-mill.tif', 'old mill'],
    ["baker's-dozen.jpg", "baker's dozen"],
    ['olympics-2024.jpg', 'olympics 2024'],
  ])('%s contains "%s"', (name, words) => {
    expect(fileNameWords(name)).toBe(words);
  });

  it.each([
    'IMG_2034.jpg',
    'IMG_20230517_123456.jpg',
    'IMG-20230517-WA0012.jpg',
    'DSC01234.ARW.jpg',
    'DSC_0042-edited.jpg',
    '_MG_1234.jpg',
    'P1010234.JPG',
    'PXL_20210101_123456789.MP.jpg',
    'DJI_0001.jpg',
    'GOPR0123.jpg',
    'a3f9c2d1e4b5.png',
    '3f2504e0-4f89-11d3-9a0c-0305e82c3301.jpg',
    '1684325412345.jpg',
    '2023-05-17 12.34.56.jpg',
    'WhatsApp Image 2023-05-17 at 12.34.56.jpeg',
    'Screenshot 2024-01-02 at 10.33.44 AM.png',
    'Screenshot_20240102-103344_Instagram.jpg',
    'Bildschirmfoto 2024-01-02 um 10.33.44.png',
    'Capture d’écran 2024-01-02 à 10.33.44.png',
    'image (3).png',
    'image1.jpeg',
    'untitled.png',
    'download.jpg',
    'unnamed (1).jpg',
    'xkcdqrst.png',
    'a1b2c3.jpg',
    '1920x1080.png',
    '.jpg',
    '',
  ])('%s contains no words', (name) => {
    expect(fileNameWords(name)).toBeNull();
  });

  it('is fast for names that are built to be slow', () => {
    const parts = ['a-', '1-', '(1)', '2023-', 'a1', '_', 'x ', 'aA'];
    expectSteady((share) => parts.forEach((part) => void fileNameWords(part.repeat(20_000 * share))));
  });
});
