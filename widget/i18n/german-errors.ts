import type { Messages } from './messages.ts';

/** Texts of errors, in German. */
export const germanErrors = {
  'error.aborted': 'Abgebrochen.',
  'error.bad_response':
    'Die Antwort der Website stammt nicht vom Bilddienst. Bitte informieren Sie den Administrator der Website.',
  'error.insufficient_credits': 'Die Credits reichen nicht. Nichts wurde berechnet, alle Texte bleiben erhalten.',
  'error.invalid_image': 'Die Datei lässt sich nicht als Bild lesen.',
  'error.invalid_setting': 'Eine Einstellung ist ungültig; es gilt der Standard.',
  'error.key_inactive': 'Das Konto oder sein API-Schlüssel ist nicht aktiv.',
  'error.media': 'Das Bild ließ sich nicht von der Website holen.',
  'error.network': 'Keine Verbindung zum Bilddienst.',
  'error.not_found': 'Das Bild ist nicht mehr beim Dienst. Bitte fügen Sie es erneut hinzu.',
  'error.output_too_large': 'Dieses Format fasst nicht so viele Pixel. Bitte ein anderes wählen.',
  'error.daily_limit_reached': 'Das Tageslimit Ihres Tarifs ist erreicht. Es beginnt um Mitternacht (UTC) neu.',
  'error.session_limit_reached':
    'Dieser Tarif erlaubt nicht mehr Sitzungen zugleich. Bitte eine löschen oder warten, bis eine abläuft.',
  'error.storage_limit_reached':
    'Der Speicher dieses Tarifs ist voll. Bitte eine Sitzung löschen oder warten, bis eine abläuft.',
  'error.sample_limit': 'Eine Probe hat höchstens 5 Bilder.',
  'error.server': 'Der Bilddienst hat einen Fehler gemeldet. Bitte versuchen Sie es erneut.',
  'error.session_full': 'Diese Liste ist voll. Bitte leeren Sie sie und beginnen Sie eine neue.',
  'error.stalled': 'Das Hochladen ist stehen geblieben.',
  'error.stream_interrupted':
    'Die Verbindung ist abgebrochen. Begonnene Arbeit läuft weiter; nichts wird doppelt berechnet.',
  'error.throttled': 'Zu viele Anfragen. Bitte warten Sie einen Moment.',
  'error.timeout': 'Der Bilddienst antwortet nicht.',
  'error.too_large': 'Die Datei ist zu groß für den Server.',
  'error.too_many_pixels': 'Zu viele Pixel; erlaubt sind {millions} Megapixel.',
  'error.unauthorized': 'Die Website darf den Bilddienst nicht nutzen. Bitte neu anmelden oder die Seite neu laden.',
  'error.unsupported': 'Das ist hier nicht möglich.',
  'error.unsupported_image': 'Dateien dieses Formats lassen sich nicht optimieren.',
  'error.file_too_large': 'Die Datei ist zu groß. Erlaubt sind {millions} MB.',
  'error.file_gone': 'Die Datei ist nicht mehr da. Fügen Sie sie erneut hinzu: Ihre Texte sind noch da.',
  'error.session_not_found': 'Der Dienst behält Bilder {hours} Stunden. Bitte fügen Sie Ihre erneut hinzu.',
} satisfies Partial<Messages>;
