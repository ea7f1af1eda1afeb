/** Exit codes of the program, documented in docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** Some images failed; the others were made. */
  someFailed: 1,
  /**
   * The command line, a file it names or the record in the output folder is invalid, or a result would overwrite a file
   * of others. Nothing was spent.
   */
  usage: 2,
  /** The balance is too low. */
  credits: 3,
  /** The service cannot be reached, rejects the key, or does not work. */
  service: 4,
  /** Any other error, e.g. a full disk. */
  unexpected: 5,
  /** Ctrl-C or SIGTERM; the next run resumes this one. */
  interrupted: 130,
} as const;

/** An exit code of the program. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the program with a message for people and an exit code for pipelines. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** Returns the error of an invalid command line. */
export function usageError(message: string): CliError {
  return new CliError(EXIT.usage, 'usage', message);
}
