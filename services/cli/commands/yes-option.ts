import type { Command } from "commander";

/** The option of commands that change nothing without it. */
export interface YesOption {
  readonly yes?: boolean;
}

/** Adds the option `--yes`. */
export function withYes(command: Command): Command {
  return command.option("--yes", "do it; without this option the command only says what it would do");
}
