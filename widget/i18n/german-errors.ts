import type { Messages } from './messages.ts';

/** Texts of errors, in German. */
export const germanErrors = {
  'error.aborted': 'Abgebrochen.',
  'error.bad_response':
    'Die Antwort der Website stammt nicht vom Bilddienst. Bitte informieren Sie den Administrator der Website.',
  'error.insufficient_credits': 'Die Credits reichen nicht. Nichts wurde berechnet, alle Texte bleiben erhalten.',
  'error.invalid_image': 'Die Datei lässt sich nicht als Bild lesen.',
  'error.invalid_setting': 'Eine Einstellung ist ungültig; es gilt der Standard.',
  'error.key_inactive': 'Das Konto oder sein Schlüssel ist abgeschaltet.',
  'error.media': 'Das Bild ließ sich nicht von der Website holen.',
  'error.network': 'Keine Verbindung zum Bilddienst.',
  'error.not_found':
    'Die Bilder sind nicht mehr beim Dienst. Bitte leeren Sie die Liste und fügen Sie sie erneut hinzu.',
  'error.output_too_large': 'Dieses Format fasst nicht so viele Pixel. Bitte ein anderes wählen.',
  'error.daily_limit_reached':
    'Mit diesem Tarif sind heute keine weiteren Bilder möglich. Um Mitternacht (UTC) beginnt die Zählung neu.',
  'error.session_limit_reached':
    'Dieser Tarif erlaubt nicht mehr Sitzungen zugleich. Bitte eine löschen oder warten, bis eine abläuft.',
  'error.storage_limit_reached':
    'Der Speicher dieses Tarifs ist voll. Bitte eine Sitzung löschen oder warten, bis eine abläuft.',
  'error.sample_limit': 'Eine Probe hat höchstens 5 Bilder.',
  'error.server': 'Der Bilddienst hat einen Fehler gemeldet. Bitte versuchen Sie es erneut.',
  'error.session_full': 'Der Dienst nimmt in dieser Liste keine weiteren Bilder an.',
  'error.stalled': 'Das Hochladen ist stehen geblieben.',
  'error.stream_interrupted':
    'Die Verbindung ist abgebrochen. Begonnene Arbeit läuft weiter; nichts wird doppelt berechnet.',
  'error.throttled': 'Zu viele Anfragen. Bitte warten Sie einen Moment.',
  'error.timeout': 'Der Bilddienst antwortet nicht.',
  'error.too_large': 'Die Datei ist größer, als der Dienst annimmt.',
  'error.too_many_pixels': 'Das Bild hat mehr Pixel, als der Dienst annimmt.',
  'error.unauthorized': 'Die Website darf den Bilddienst nicht nutzen. Bitte neu anmelden oder die Seite neu laden.',
  'error.unsupported': 'Das ist hier nicht möglich.',
  'error.unsupported_image': 'Kein Bild in einem Format, das sich optimieren lässt.',
} satisfies Partial<Messages>;
