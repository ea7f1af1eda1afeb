import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Files that mark the folder of a project. */
const MARKS = ['imagewright.config.json', 'imagewright.config.mjs', 'package.json', '.git'];
/** Folder of records in a project. */
const FOLDER = '.imagewright';

/** Returns the nearest folder at or above one that is a project; undefined if there is none. The folder need not exist. */
function projectOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (MARKS.some((name) => existsSync(join(at, name)))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Returns the folder of the records of an output folder: in its project, else among the person's own files. */
export function recordFolder(out: string, env: Environment): string {
  const project = projectOf(out);
  if (project !== undefined) return join(project, FOLDER);
  return join(env.XDG_STATE_HOME ?? join(homeOf(env), '.local', 'state'), 'imagewright');
}

/** Returns the path of the record of an output folder, outside of that folder unless the folder is a project itself. */
export function recordPath(out: string, env: Environment): string {
  const project = projectOf(out);
  const name = project === undefined ? out : relative(project, out);
  const words = name.split(sep).filter(Boolean).join('-').slice(-60) || basename(out) || 'root';
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return join(recordFolder(out, env), `${words}-${hash}.json`);
}

/** Returns the folder of files that local runs keep: in the project's packages, else among the person's caches. */
export function cacheFolder(out: string, env: Environment): string {
  const project = projectOf(out);
  const packages = project === undefined ? undefined : join(project, 'node_modules');
  if (packages !== undefined && existsSync(packages)) return join(packages, '.cache', 'imagewright');
  return join(env.XDG_CACHE_HOME ?? join(homeOf(env), '.cache'), 'imagewright');
}

function homeOf(env: Environment): string {
  return env.HOME ?? homedir();
}
