import type { EN_ERRORS } from './en-errors.ts';
import type { Translated } from './text-tree.ts';

/** Texts of errors, in German. */
export const DE_ERRORS: Translated<typeof EN_ERRORS> = {
  unreachable: 'Der Dienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  wentWrong: 'Im Dienst ist etwas schiefgegangen ({id}). Versuchen Sie es noch einmal.',
  inMinutes: 'Versuchen Sie es in einer Minute noch einmal.|Versuchen Sie es in {count} Minuten noch einmal.',
  fields: {
    missing: 'Bitte füllen Sie dieses Feld aus.',
    email: 'Bitte geben Sie eine gültige E-Mail-Adresse ein.',
    amount: 'Bitte geben Sie eine ganze Zahl über null ein.',
    short: 'Bitte mindestens {least} Zeichen.',
    invalid: 'Bitte prüfen Sie dieses Feld.',
  },
  password: {
    short: 'Zu kurz: mindestens {limit} Zeichen.',
    long: 'Zu lang: höchstens {limit} Zeichen.',
    email: 'Bitte wählen Sie ein Passwort, das nicht Ihre E-Mail-Adresse ist.',
    simple: 'Bitte verwenden Sie mehr als drei verschiedene Zeichen.',
    common: 'Dieses Passwort ist zu verbreitet. Bitte wählen Sie ein anderes.',
  },
  codes: {
    account_suspended: 'Dieses Konto ist gesperrt. Fragen Sie den Betreiber dieses Dienstes.',
    cookie_refused:
      'Ihr Browser behält keine Cookies dieser Seite, daher blieben Sie nicht angemeldet. Erlauben Sie Cookies für diese Adresse und versuchen Sie es noch einmal.',
    cross_site_request:
      'Die Anfrage kam nicht von dieser Seite. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    email_taken: 'Diese E-Mail-Adresse hat schon ein Konto.',
    idempotency_in_progress: 'Dieselbe Anfrage läuft noch.',
    insufficient_credits: 'Das Konto hat nur {count} Credit.|Das Konto hat nur {count} Credits.',
    invalid_link: 'Dieser Link ist ungültig, benutzt oder abgelaufen.',
    key_limit_reached: 'Ihr Tarif erlaubt keine weiteren aktiven Schlüssel.',
    not_found: 'Das gibt es nicht mehr.',
    not_logged_in: 'Sie wurden abgemeldet. Melden Sie sich an, um weiterzumachen.',
    operator_required: 'Das darf nur ein Betreiber dieses Dienstes.',
    own_account: 'Das geht nicht mit Ihrem eigenen Konto.',
    password_required: 'Bestätigen Sie das mit Ihrem Passwort.',
    sign_up_closed: 'Die Registrierung ist geschlossen. Bitten Sie den Betreiber dieses Dienstes um ein Konto.',
    tls_required: 'Die Anmeldung braucht eine sichere Verbindung (https).',
    too_many_attempts: 'Zu viele Versuche.',
    rate_limited: 'Zu viele Anfragen.',
    wrong_credentials: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    wrong_password: 'Das Passwort ist falsch.',
    overloaded: 'Der Dienst ist ausgelastet.',
    shutting_down: 'Der Dienst startet gerade neu.',
    database_unavailable: 'Die Datenbank antwortet nicht.',
    storage_unavailable: 'Der Dateispeicher antwortet nicht.',
    insufficient_storage: 'Der Speicher des Dienstes ist voll.',
  },
};
