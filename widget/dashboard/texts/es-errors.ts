import type { EN_ERRORS } from './en-errors.ts';
import type { Translated } from './text-tree.ts';

/** Texts of errors, in Spanish. */
export const ES_ERRORS: Translated<typeof EN_ERRORS> = {
  unreachable: 'No se puede conectar con el servicio. Inténtalo de nuevo en un momento.',
  wentWrong: 'Algo falló en el servicio ({id}). Inténtalo de nuevo.',
  inMinutes: 'Inténtalo de nuevo en un minuto.|Inténtalo de nuevo en {count} minutos.',
  fields: {
    missing: 'Rellena este campo.',
    email: 'Escribe un correo electrónico válido.',
    amount: 'Escribe un número entero mayor que cero.',
    short: 'Al menos {least} caracteres.',
    invalid: 'Revisa este campo.',
  },
  password: {
    short: 'Demasiado corta: al menos {limit} caracteres.',
    long: 'Demasiado larga: como máximo {limit} caracteres.',
    email: 'Elige una contraseña que no sea tu correo electrónico.',
    simple: 'Usa más de tres caracteres distintos.',
    common: 'Esta contraseña es demasiado común. Elige otra.',
  },
  codes: {
    account_suspended: 'Esta cuenta está suspendida. Consulta al operador de este servicio.',
    cookie_refused:
      'Tu navegador no guarda las cookies de esta página, así que la sesión no se mantendría. Permite las cookies para esta dirección e inténtalo de nuevo.',
    cross_site_request: 'La petición no vino de esta página. Recarga la página e inténtalo de nuevo.',
    email_taken: 'Este correo electrónico ya tiene una cuenta.',
    idempotency_in_progress: 'La misma petición aún está en curso.',
    insufficient_credits: 'La cuenta solo tiene {count} crédito.|La cuenta solo tiene {count} créditos.',
    invalid_link: 'Este enlace no es válido, ya se usó o ha caducado.',
    key_limit_reached: 'Tu plan no permite más claves activas.',
    not_found: 'Esto ya no existe.',
    not_logged_in: 'Se cerró tu sesión. Inicia sesión para continuar.',
    operator_required: 'Solo un operador de este servicio puede hacerlo.',
    own_account: 'Esto no se puede hacer con tu propia cuenta.',
    password_required: 'Confírmalo con tu contraseña.',
    sign_up_closed: 'El registro está cerrado. Pide una cuenta al operador de este servicio.',
    tls_required: 'Iniciar sesión requiere una conexión segura (https).',
    too_many_attempts: 'Demasiados intentos.',
    rate_limited: 'Demasiadas peticiones.',
    wrong_credentials: 'El correo electrónico o la contraseña no son correctos.',
    wrong_password: 'La contraseña no es correcta.',
    overloaded: 'El servicio está ocupado.',
    shutting_down: 'El servicio se está reiniciando.',
    database_unavailable: 'La base de datos no responde.',
    storage_unavailable: 'El almacén de archivos no responde.',
    insufficient_storage: 'El disco del servicio está lleno.',
  },
};
