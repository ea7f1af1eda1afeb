import type { Core } from '../core.ts';
import { failure } from '../errors.ts';
import type { Settings } from '../types.ts';
import { DEFAULT_SETTINGS, mergeSettings } from './settings.ts';

/** Keeps the settings. What is not understood becomes the default, and listeners hear of it. */
export function createSettingsStore(core: Core, changed: () => void) {
  function merge(present: Settings, changes: Partial<Settings>): Settings {
    const { settings, problems } = mergeSettings(present, changes);
    for (const { name, value } of problems) {
      core.report(failure('invalid_setting', `${name}: ${JSON.stringify(value)}`), 'settings');
    }
    return settings;
  }
  core.settings = merge(DEFAULT_SETTINGS, core.config.settings);

  return {
    set(changes: Partial<Settings>) {
      const previous = core.settings;
      const settings = merge(previous, changes);
      if (JSON.stringify(settings) === JSON.stringify(previous)) return;
      core.settings = settings;
      changed();
      core.emit('io-settings-change', { settings, previous });
      core.touch();
    },
  };
}
