import { AppError } from '../errors.ts';

/**
 * Refuses an operation of an operator whose log-in was not confirmed with the password, so that a stolen cookie alone
 * changes no account and makes no key.
 * @throws AppError password_required
 */
export function requirePassword({ mustConfirm }: { mustConfirm: boolean }): void {
  if (mustConfirm) throw new AppError('password_required', 'Confirm this with your password');
}
