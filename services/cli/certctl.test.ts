import type { Command } from "commander";
import { expect, test } from "vitest";
import { productVersion } from "#shared/lifecycle/product-version.ts";
import { buildCertctl } from "./certctl.ts";

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
const program = await buildCertctl();

test.each([program, ...leavesOf(program)].map((command) => [command.name(), command.helpInformation()]))(
  "the help of %s documents the variables that name the target",
  (_name, help) => {
    for (const variable of ["CERTCTL_REGISTRY", "CERTCTL_STORE"]) expect(help).toContain(variable);
  },
);

test.each([
  ["certificate list", ["certificate"]],
  ["--store certificate key list", ["certificate", "key"]],
])("certctl %s loads only the commands of the nouns that it names", async (line, nouns) => {
  const { commands } = await buildCertctl(line.split(" "));
  expect(commands.map((command) => command.name())).toEqual(nouns);
});

test("certctl --version prints the version and ends with exit code 0", async () => {
  const certctl = await buildCertctl(["--version"]);
  const written: string[] = [];
  certctl.configureOutput({ writeOut: (text) => void written.push(text) });
  const ended = certctl.parseAsync(["--version"], { from: "user" });
  await expect(ended).rejects.toMatchObject({ exitCode: 0 });
  expect(written).toEqual([`${productVersion}\n`]);
});

test.each(["", "--help", "--store certificate --help", "certifcate list --store key", "completion bash", "help key"])(
  "certctl %s loads all commands, for help, completion and suggestions",
  async (line) => {
    const { commands } = await buildCertctl(line.split(" ").filter(Boolean));
    expect(commands).toHaveLength(program.commands.length);
  },
);
