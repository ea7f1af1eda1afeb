import leven from 'leven';
import { listSettings } from './settings-table.ts';

/** A variable that is no setting, and the setting that it resembles. */
export interface NearMiss {
  given: string;
  meant: string;
}

/** Characters of a name per mistake that is tolerated. */
const LENGTH_PER_MISTAKE = 3.5;
const SHORTEST = 6;

/** Finds set variables whose names are nearly those of settings, since a wrong name would be ignored. */
export function findNearMisses(env: NodeJS.ProcessEnv): NearMiss[] {
  const settings = listSettings().map(({ name }) => name);
  const unknown = Object.keys(env).filter((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && !settings.includes(name));
  return unknown.flatMap((given) => {
    const meant = settings.find((name) => resembles(given, name));
    // A program around this one may have a variable of a like name; if the setting itself is set, that one counts.
    return meant && !env[meant] ? [{ given, meant }] : [];
  });
}

function resembles(given: string, setting: string): boolean {
  const most = Math.floor(setting.length / LENGTH_PER_MISTAKE);
  return setting.length >= SHORTEST && leven(given, setting, { maxDistance: most + 1 }) <= most;
}
