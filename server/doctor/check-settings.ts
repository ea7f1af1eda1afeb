import type { CheckLine } from '#contract';
import type { NearMiss, SettingFault } from '../config/index.ts';
import { linesOf } from './lines.ts';

/** Settings as the environment has them. */
export interface GivenSettings {
  faults: Pick<SettingFault, 'name' | 'expected'>[];
  nearMisses: NearMiss[];
}

/** Says which settings are wrong, and which variables only look like settings. */
export function checkSettings({ faults, nearMisses }: GivenSettings): CheckLine[] {
  const lines = [
    ...faults.map(({ name, expected }) =>
      linesOf('settings', name).fault('invalid', `${expected}, but its value is another`, `correct ${name}`),
    ),
    ...nearMisses.map(({ given, meant }) =>
      linesOf('settings', given).warning('unknown_setting', 'no setting has this name', `did you mean ${meant}?`),
    ),
  ];
  return lines.length > 0 ? lines : [linesOf('settings', 'all settings').ok('valid', 'valid')];
}
