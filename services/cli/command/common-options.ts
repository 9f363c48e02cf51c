import type { Command } from "commander";

/** The option that makes a command safe to retry. */
export interface IdempotencyKeyOption {
  readonly idempotencyKey?: string;
}

/** Adds the option `--idempotency-key`. */
export function withIdempotencyKey(command: Command): Command {
  return command.option(
    "--idempotency-key <key>",
    "key that makes it safe to retry the command within 24 hours; 1 to 64 letters, digits, '-' or '_'",
  );
}

/** The option without which a command only prints a preview. */
export interface YesOption {
  readonly yes?: boolean;
}

/** Adds the option `--yes`. */
export function withYes(command: Command): Command {
  return command.option("--yes", "apply the change; without this option, the command only prints what it would change");
}
