import type { Messages } from '../messages.ts';

/** German texts about failures, rejections and notices. */
export const germanErrors: Messages = {
  'notice.analysis_fallback':
    'Der Beschreibungsdienst hat bei {count} Bild nicht geantwortet.|Der Beschreibungsdienst hat bei {count} Bildern nicht geantwortet.',
  'notice.analysis_loading':
    'Das Bildmodell wird noch geladen. {count} Bild hat noch keine Beschreibung.|Das Bildmodell wird noch geladen. {count} Bilder haben noch keine Beschreibung.',
  'notice.analyze_failed':
    '{count} Bild konnte nicht beschrieben werden.|{count} Bilder konnten nicht beschrieben werden.',
  'notice.check-cost': 'Erneut prüfen',
  'notice.details': 'Einzelheiten',
  'notice.dismiss': 'Ausblenden',
  'notice.download_failed':
    '{count} Datei konnte nicht heruntergeladen werden.|{count} Dateien konnten nicht heruntergeladen werden.',
  'notice.elsewhere':
    'Dieser Export wurde schon gestartet, hier oder in einem anderen Fenster. Nichts wird doppelt berechnet.',
  'notice.expired':
    'Der Dienst behält Bilder {hours} Stunden nach der letzten Nutzung. Ihre sind nicht mehr da, aber Ihre Texte: Laden Sie die Bilder erneut hoch.',
  'notice.export_failed':
    '{count} Bild konnte nicht exportiert werden und wurde nicht berechnet.|{count} Bilder konnten nicht exportiert werden und wurden nicht berechnet.',
  'notice.more': 'und {count} weitere|und {count} weitere',
  'notice.no_model':
    'Es entstanden keine Beschreibungen: Dieser Dienst hat kein Bildmodell. Bitte schreiben Sie die Texte selbst.',
  'notice.offline': 'Sie sind offline. Die Arbeit geht weiter, sobald die Verbindung wieder da ist.',
  'notice.renew': 'Erneut hochladen',
  'notice.request': 'Anfrage {id}',
  'notice.sample_failed': '{count} Bild der Probe ist fehlgeschlagen.|{count} Bilder der Probe sind fehlgeschlagen.',
  'notice.save_failed':
    'Die Texte von {count} Bild konnten nicht gespeichert werden.|Die Texte von {count} Bildern konnten nicht gespeichert werden.',
  'notice.upload_failed':
    '{count} Bild konnte nicht hochgeladen werden.|{count} Bilder konnten nicht hochgeladen werden.',
  'reject.count': '{count} von {total} Dateien wurden nicht hinzugefügt',
  'reject.duplicate': '{name} ist schon in der Liste.',
  'reject.empty': '{name} ist leer.',
  'reject.heic':
    '{name} ist ein HEIC-Foto, das sich nicht optimieren lässt. Speichern Sie es als JPEG oder wählen Sie am Telefon „Maximale Kompatibilität“.',
  'reject.limit': '{name}: Die Liste kann höchstens {max} Bilder enthalten.',
  'reject.pixels': '{name}: {megapixels} Megapixel; erlaubt sind {max}.',
  'reject.size': '{name} hat {size}. Erlaubt sind {max}.',
  'reject.total': '{name}: Alle Bilder zusammen wären größer als {max}.',
  'reject.truncated': '{name} ist unvollständig: Das Ende fehlt. Bitte kopieren Sie die Datei noch einmal.',
  'reject.type': '{name}: {format}-Dateien lassen sich nicht optimieren.',
  'reject.unknown': '{name} ist kein Bild, das sich optimieren lässt.',
  'reject.unreadable': '{name} lässt sich nicht lesen.',
  'warning.alpha_flattened': 'Transparenz wurde weiß.',
  'warning.animation_dropped': 'Nur das erste Bild der Animation blieb.',
  'warning.cmyk_converted': 'Druckfarben wurden für Bildschirme umgewandelt.',
  'warning.no_gain': 'Keine Datei würde kleiner, darum wurde nichts berechnet.',
  'warning.pages_dropped': 'Nur die erste Seite blieb.',
};
