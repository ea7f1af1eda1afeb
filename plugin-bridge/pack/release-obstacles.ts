/** State of the repository before a release. */
export interface ReleaseState {
  version: string;
  /** `repository.url` of `package.json`. */
  repository: string | undefined;
  changelog: string;
  /** `readme.txt` of the plugin for WordPress. */
  readme: string;
  /** Name of the tag that is released; undefined: none. */
  tag: string | undefined;
}

/** Lists what a person still has to set before a release; empty: nothing. */
export function obstaclesOf({ version, repository, changelog, readme, tag }: ReleaseState): string[] {
  const found: string[] = [];
  if (!repository)
    found.push(
      'repository: npm pkg set repository.type=git repository.url=git+https://github.com/OWNER/NAME.git ' +
        '(where the packages come from; npm compares it with the workflow that publishes)',
    );
  if (!notesOf(changelog, version))
    found.push(`CHANGELOG.md: expected the heading "## [${version}] - YYYY-MM-DD" with text below it`);
  if (!readme.includes(`\n= ${version} =\n`))
    found.push(`plugin-bridge/wordpress/readme.txt: expected "= ${version} =" in its changelog`);
  if (tag !== undefined && tag !== `v${version}`)
    found.push(`tag: expected v${version}, the version of package.json, but received ${tag}`);
  return found;
}

/** Returns the text of a version in the changelog, without its heading; empty if there is none with a date. */
export function notesOf(changelog: string, version: string): string {
  const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm').exec(
    changelog,
  );
  if (!heading) return '';
  const rest = changelog.slice(heading.index + heading[0].length);
  const end = rest.search(/^## \[/m);
  return (end < 0 ? rest : rest.slice(0, end)).trim();
}
