import { redactSecrets } from "./redact-secrets.ts";

interface LoggedError {
  /** Name of the error's class. */
  readonly type: string;
  readonly message: string;
  /** The error code of Node, of the database or of the service. */
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: LoggedError | string;
}

const causesMax = 5;

/**
 * Converts a thrown value for the log. Keeps only those properties of an error that {@link LoggedError} lists, because
 * database errors contain documents. Hides secrets and e-mail addresses in the message, the stack and the causes.
 */
export function errorForLog(thrown: unknown): LoggedError | string {
  return convert(thrown, causesMax);
}

function convert(thrown: unknown, causesLeft: number): LoggedError | string {
  if (!(thrown instanceof Error)) return redactSecrets(String(thrown));
  const code = "code" in thrown ? thrown.code : undefined;
  return {
    type: thrown.name,
    message: redactSecrets(thrown.message),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(thrown.stack === undefined ? {} : { stack: redactSecrets(thrown.stack) }),
    ...(thrown.cause === undefined || causesLeft === 0 ? {} : { cause: convert(thrown.cause, causesLeft - 1) }),
  };
}
