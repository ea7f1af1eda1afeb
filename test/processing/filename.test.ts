import { describe, expect, it } from 'vitest';
import { basenameOf, cleanBasename, filenameKey, variantFilename } from '../../server/processing/index.ts';

describe('cleanBasename', () => {
  it.each([
    ['golden-gate-at-sunset', 'golden-gate-at-sunset'],
    ['DSC1.jpg', 'DSC1'],
    ['photo.final.JPEG', 'photo.final'],
    ['version 1.0', 'version 1.0'],
    ['../../etc/passwd.jpg', 'passwd'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\system32\\cmd.png', 'cmd'],
    ['C:\\fakepath\\holiday.jpg', 'holiday'],
    ['/absolute/path/a.png', 'a'],
    ['AC/DC live', 'ACDC live'],
    ['a:b*c?d"e<f>g|h', 'abcdefgh'],
    ['null\0byte.jpg', 'nullbyte'],
    ['line\nbreak\r\ttab', 'linebreaktab'],
    ['header\r\nX-Injected: 1', 'headerX-Injected 1'],
    ['safe\u202Egpj.exe', 'safegpj.exe'],
    ['iso\u2066late\u2069d', 'isolated'],
    ['zero\u200Bwidth\u200D\uFEFF', 'zerowidth'],
    ['.htaccess', 'htaccess'],
    ['...hidden', 'hidden'],
    ['trailing. . .', 'trailing'],
    ['  spaces  ', 'spaces'],
    ['cafe\u0301', 'caf\u00e9'],
    ['日本語の写真.webp', '日本語の写真'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['👩🏽‍🚒❤️‍🔥🏳️‍🌈', '👩🏽‍🚒❤️‍🔥🏳️‍🌈'],
    ['flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['hidden\u{E0061}\u{E0062}\u{E007F} tags', 'hidden tags'],
    ['می\u200Cخواهم.jpg', 'می\u200Cخواهم'],
    ['क्\u200Dष', 'क्\u200Dष'],
    ['می\u200C', 'می'],
    ['la\u200Ctin \u200Dx', 'latin x'],
    ['CON', 'CON_'],
    ['con.jpg', 'con_'],
    ['nul.tar', 'nul_.tar'],
    ['COM1', 'COM1_'],
    ['lpt9.txt', 'lpt9_.txt'],
    ['COM¹', 'COM¹_'],
    ['AUX .png', 'AUX_'],
    ['console', 'console'],
    ['lone\ud800surrogate', 'lonesurrogate'],
  ])('cleans %j to %j', (name, expected) => {
    expect(cleanBasename(name, 'fallback.png')).toBe(expected);
  });

  it.each(['', '   ', '...', '///', '..', '.jpg', '\u202E\u200B', '<>:"|?*', '\u3164'])(
    'takes the fallback when nothing is left of %j',
    (name) => {
      expect(cleanBasename(name, 'DSC1.jpg')).toBe('DSC1');
      expect(cleanBasename(name, '..')).toBe('image');
    },
  );

  it('cuts at 180 bytes without splitting a character', () => {
    const cut = cleanBasename('é'.repeat(200), '');
    expect(Buffer.byteLength(cut)).toBe(180);
    expect(cut).toBe('é'.repeat(90));
    expect(cleanBasename(`a${'😀'.repeat(100)}`, '')).toBe(`a${'😀'.repeat(44)}`);
    expect(cleanBasename(`${'a'.repeat(179)}. b`, '')).toBe('a'.repeat(179));
  });

  it('does not change a cleaned name', () => {
    for (const name of ['CON', '../../etc/passwd.jpg', 'AC/DC', 'é'.repeat(200), 'a.jpg.png']) {
      const once = cleanBasename(name, 'x');
      if (!/\.(?:jpg|png)$/.test(once)) expect(cleanBasename(once, 'x')).toBe(once);
    }
  });
});

describe('basenameOf', () => {
  it.each([
    ['Mr. Smith', 'Mr. Smith'],
    ['photo v1.2', 'photo v1.2'],
    ['Dr.No', 'Dr.No'],
    ['a.b.JPG.png', 'a.b.JPG'],
    ['photo.final.jpeg', 'photo.final'],
    ['picture.php', 'picture'],
    ['upload.tmp', 'upload'],
    ['می\u200Cخواهم.png', 'می\u200Cخواهم'],
    ['.png', 'image'],
    ['image', 'image'],
  ])('of an uploaded %j is %j', (given, expected) => {
    expect(basenameOf(given)).toBe(expected);
  });
});

describe('variantFilename', () => {
  it('names full without and widths with a suffix', () => {
    expect(variantFilename('a', 'webp', 'full')).toBe('a.webp');
    expect(variantFilename('a', 'webp', '480w')).toBe('a-480w.webp');
  });
});

describe('filenameKey', () => {
  it('ignores case and the normal form of accents', () => {
    expect(filenameKey('CAFE\u0301.webp')).toBe(filenameKey('café.WEBP'));
    expect(filenameKey('straße.png')).toBe(filenameKey('STRASSE.png'));
    expect(filenameKey('a.png')).not.toBe(filenameKey('b.png'));
  });
});
