/** What the program ends with; documented in docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** Some images could not be made; the others were. */
  someFailed: 1,
  /**
   * The command line, the files it names, or the record in the output folder are not right, or a result would be written
   * over somebody's file. Nothing was spent.
   */
  usage: 2,
  /** The balance does not suffice. */
  credits: 3,
  /** The service cannot be reached, does not know the key, or does not work. */
  service: 4,
  /** Something went wrong that has no code of its own, e.g. the disk is full. */
  unexpected: 5,
  /** Ctrl-C or SIGTERM; the next run goes on where this one was. */
  interrupted: 130,
} as const;

/** One of the program's exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the program with a sentence for the person before it, and a code for the pipeline around it. */
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

/** The command line, or what it points to, is not right. */
export function usageError(message: string): CliError {
  return new CliError(EXIT.usage, 'usage', message);
}
