// Entry of the page of a link. What its first sight needs is on its way while the page's program is loaded.
import { prepareFormats } from '../i18n/index.ts';
import './first-visit.ts';

prepareFormats();
void import('./share-page.ts');
