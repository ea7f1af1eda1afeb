import type { Messages } from '../../i18n/index.ts';

/** The demo page in German. */
export const de: Messages = {
  title: 'Imagewright – ausprobieren',
  service: 'Dienst',
  element: 'Element',
  hero: 'Leichtere Seiten, dieselben Bilder.',
  'hero-text':
    'Fügen Sie ein paar Fotos hinzu. Lassen Sie sie beschreiben, vergleichen Sie eine kostenlose Probe, und exportieren Sie dann. Jedes exportierte Bild kostet einen Credit, mit allen seinen Größen.',
  'connect-title': 'Mit diesem Dienst verbinden',
  'connect-text':
    'Fügen Sie den API-Schlüssel ein, den der Dienst bei seinem ersten Start ausgegeben hat. Er bleibt nur im Speicher dieser Seite, bis Sie neu laden.',
  'connect-log-in': 'Oder melden Sie sich an und verwenden Sie dasselbe Werkzeug in Ihrem Konto.',
  'connect-note':
    'Nur für die Entwicklung: Auf einer echten Website bleibt der Schlüssel auf dem Server, und das Element spricht mit Ihrem CMS.',
  key: 'API-Schlüssel',
  connect: 'Verbinden',
  frame: 'Ein Content-Management-System',
  media: 'Medien',
  'place-upload': 'Hochladen',
  'place-folder': 'Ordner',
  options: 'Darstellung',
  language: 'Sprache',
  theme: 'Farbschema',
  'theme-system': 'System',
  'theme-light': 'Hell',
  'theme-dark': 'Dunkel',
  width: 'Breite',
  'width-full': 'Bildschirm',
  'width-tablet': 'Tablet',
  'width-phone': 'Telefon',
  mode: 'Modus',
  'mode-download': 'Herunterladen',
  'mode-replace': 'Ersetzen',
  settings: 'Einstellungen als Code',
  'settings-text':
    'Die im Element gewählten Einstellungen, wie eine Seite sie schreibt und wie der Dienst sie annimmt.',
  'settings-page': 'In der Seite',
  'settings-request': 'In einer Anfrage',
  events: 'Ereignisse',
  'events-text': 'Ereignisse des Elements, das neueste zuerst. Die letzten 200 bleiben erhalten.',
  clear: 'Leeren',
  footer:
    'Diese Seite besteht aus einer HTML-Datei, dem Element und dem Dienst. Sie lädt nichts von anderen Websites und führt keinen Code im HTML aus; ihre Content Security Policy verbietet beides.',
  'not-connected': 'Nicht verbunden',
  credits: '{count} Credit|{count} Credits',
  plan: 'Tarif {plan}',
  'unknown-key': 'Der Dienst kennt diesen Schlüssel nicht.',
  'inactive-key': 'Dieser Schlüssel ist nicht aktiv.',
  unreachable: 'Der Dienst ist nicht erreichbar.',
  suspended: 'Dieses Konto ist gesperrt.',
};
