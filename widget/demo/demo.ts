import '../define.ts';
import '../link/index.ts';
import type { ImageOptimizer } from '../index.ts';
import { VERSION } from '../version.ts';
import { startConnection } from './connection.ts';
import { logEvents } from './event-log.ts';
import { FolderView } from './folder-view.ts';
import { say, showLanguage } from './page-language.ts';
import { followOptions } from './page-options.ts';
import { showSettings } from './settings-view.ts';

const find = <Kind extends HTMLElement>(selector: string) => document.querySelector(selector) as Kind;

customElements.define('demo-folder', FolderView);
const uploads = find<ImageOptimizer>('#uploads');
const library = find<ImageOptimizer>('#library');
const folder = find<FolderView>('#folder');
folder.element = library;

/** Shows the folder's element while it has images. */
function showLibrary(): void {
  library.hidden = folder.hidden || library.items.length === 0;
}
library.addEventListener('io-add', showLibrary);
library.addEventListener('io-remove', showLibrary);

find('#version').textContent = `Imagewright ${VERSION}`;
logEvents(find('#log'));
const showSettingsOf = showSettings(find('#settings'), uploads);
followOptions(find<HTMLFormElement>('#options'), {
  onLanguage(locale) {
    uploads.locale = locale;
    library.locale = locale;
    void showLanguage(locale);
  },
  onTheme(theme) {
    document.documentElement.dataset.theme = theme;
  },
  onWidth(width) {
    find('#frame').dataset.width = width;
  },
  onMode(mode) {
    uploads.hidden = mode === 'replace';
    folder.hidden = mode === 'download';
    showSettingsOf(mode === 'replace' ? library : uploads);
    showLibrary();
    say(find('#place'), mode === 'replace' ? 'place-folder' : 'place-upload');
  },
});

startConnection({ section: find('#connect'), account: find('#account') }, (headers) => {
  for (const element of [uploads, library]) {
    element.headers = headers;
    element.disabled = false;
  }
  folder.connected = true;
});
