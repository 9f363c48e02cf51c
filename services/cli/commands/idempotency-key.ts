import type { Command } from "commander";

/** The option of commands that scripts may repeat. */
export interface RequestIdOption {
  /** Empty: none. */
  readonly idempotencyKey: string;
}

/** Gives a command the option `--idempotency-key`. */
export function withRequestId(command: Command): Command {
  return command.option(
    "--idempotency-key <id>",
    "makes a repetition within 24 hours harmless: 1 to 64 letters, digits, '-' or '_'",
    "",
  );
}
