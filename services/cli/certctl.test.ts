import type { Command } from "commander";
import { expect, test } from "vitest";
import { buildCertctl } from "./certctl.ts";

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
const program = buildCertctl();

test.each([program, ...leavesOf(program)].map((command) => [command.name(), command.helpInformation()]))(
  "the help of %s documents the variables that name the target",
  (_name, help) => {
    for (const variable of ["CERTCTL_REGISTRY", "CERTCTL_STORE"]) expect(help).toContain(variable);
  },
);
