import type { EN_ERRORS } from './en-errors.ts';
import type { Translated } from './text-tree.ts';

/** Texts of errors, in French. */
export const FR_ERRORS: Translated<typeof EN_ERRORS> = {
  unreachable: 'Le service est injoignable. Réessayez dans un instant.',
  wentWrong: 'Une erreur s’est produite dans le service ({id}). Réessayez.',
  inMinutes: 'Réessayez dans une minute.|Réessayez dans {count} minutes.',
  fields: {
    missing: 'Veuillez remplir ce champ.',
    email: 'Veuillez saisir une adresse e-mail valide.',
    amount: 'Veuillez saisir un nombre entier supérieur à zéro.',
    short: 'Au moins {least} caractères, s’il vous plaît.',
    invalid: 'Veuillez vérifier ce champ.',
  },
  password: {
    short: 'Trop court : au moins {limit} caractères.',
    long: 'Trop long : au plus {limit} caractères.',
    email: 'Veuillez choisir un mot de passe qui ne soit pas votre adresse e-mail.',
    simple: 'Veuillez utiliser plus de trois caractères différents.',
    common: 'Ce mot de passe est trop courant. Veuillez en choisir un autre.',
  },
  codes: {
    account_suspended: 'Ce compte est suspendu. Adressez-vous à l’exploitant de ce service.',
    cookie_refused:
      'Votre navigateur ne conserve pas les cookies de cette page, vous ne resteriez donc pas connecté. Autorisez les cookies pour cette adresse et réessayez.',
    cross_site_request: 'La requête ne venait pas de cette page. Rechargez la page et réessayez.',
    email_taken: 'Cette adresse e-mail a déjà un compte.',
    idempotency_in_progress: 'La même requête est encore en cours.',
    insufficient_credits: 'Le compte n’a que {count} crédit.|Le compte n’a que {count} crédits.',
    invalid_link: 'Ce lien n’est pas valide, a déjà servi ou a expiré.',
    key_limit_reached: 'Votre forfait ne permet pas d’autres clés actives.',
    not_found: 'Cela n’existe plus.',
    not_logged_in: 'Vous avez été déconnecté. Connectez-vous pour continuer.',
    operator_required: 'Seul un exploitant de ce service peut le faire.',
    own_account: 'Ce n’est pas possible sur votre propre compte.',
    password_required: 'Confirmez avec votre mot de passe.',
    sign_up_closed: 'Les inscriptions sont fermées. Demandez un compte à l’exploitant de ce service.',
    tls_required: 'La connexion nécessite une liaison sécurisée (https).',
    too_many_attempts: 'Trop de tentatives.',
    rate_limited: 'Trop de requêtes.',
    wrong_credentials: 'L’adresse e-mail ou le mot de passe est incorrect.',
    wrong_password: 'Le mot de passe est incorrect.',
    overloaded: 'Le service est surchargé.',
    shutting_down: 'Le service redémarre.',
    database_unavailable: 'La base de données ne répond pas.',
    storage_unavailable: 'Le stockage de fichiers ne répond pas.',
    insufficient_storage: 'Le disque du service est plein.',
  },
};
