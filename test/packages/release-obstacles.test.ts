import { expect, it } from 'vitest';
import { notesOf, obstaclesOf } from '../../plugin-bridge/pack/release-obstacles.ts';

const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n- New\n\n## [1.1.0] - 2026-01-01\n\n- Old\n';
const READY = {
  version: '1.2.0',
  repository: 'git+https://github.com/a/b.git',
  changelog: CHANGELOG,
  readme: '== Changelog ==\n\n= 1.2.0 =\n* New\n',
  tag: 'v1.2.0',
};

it('finds nothing where everything is set, with or without a tag', () => {
  expect(obstaclesOf(READY)).toEqual([]);
  expect(obstaclesOf({ ...READY, tag: undefined })).toEqual([]);
});

it.each([
  [{ repository: undefined }, 'npm pkg set repository'],
  [{ changelog: CHANGELOG.replace(' - 2026-01-31', '') }, '## [1.2.0] - YYYY-MM-DD'],
  [{ changelog: CHANGELOG.replace('- New\n', '') }, '## [1.2.0] - YYYY-MM-DD'],
  [{ readme: '== Changelog ==\n\n= 1.1.0 =\n' }, '= 1.2.0 ='],
  [{ tag: 'v1.2.1' }, 'expected v1.2.0'],
])('names what is missing: %j', (change, text) => {
  expect(obstaclesOf({ ...READY, ...change })).toEqual([expect.stringContaining(text)]);
});

it('takes the notes of a version from the changelog', () => {
  expect(notesOf(CHANGELOG, '1.2.0')).toBe('- New');
  expect(notesOf(CHANGELOG, '1.1.0')).toBe('- Old');
  expect(notesOf(CHANGELOG, '1.1')).toBe('');
});
