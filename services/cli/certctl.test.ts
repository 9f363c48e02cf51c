import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { productVersion } from "#shared/lifecycle/product-version.ts";
import { buildCertctl } from "./certctl.ts";

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
const program = await buildCertctl();

async function outputOf(...words: string[]): Promise<{ readonly written: string; readonly error: unknown }> {
  const certctl = await buildCertctl(words);
  let written = "";
  const write = (text: string) => {
    written += text;
  };
  certctl.configureOutput({ writeOut: write, writeErr: write });
  // Commands inherit the settings of the program when they are added.
  const copyTo = (command: Command): void => {
    for (const child of command.commands) copyTo(child.copyInheritedSettings(command));
  };
  copyTo(certctl);
  const error = await certctl.parseAsync(words, { from: "user" }).catch((cause: unknown) => cause);
  return { written, error };
}

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

test.each([program, ...leavesOf(program)].map((command) => [pathOf(command).join(" ")]))(
  "the help of certctl %s has one line about the global options",
  async (name) => {
    const { written, error } = await outputOf(...name.split(" ").filter(Boolean), "--help");
    expect(error).toMatchObject({ exitCode: 0 });
    expect(written.match(/^Global options:.*certctl options.*$/gm)).toHaveLength(1);
    expect(written).not.toContain("env: CERTCTL_");
  },
);

test("certctl options describes every global option, with its variable", () => {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(new URL("main.ts", import.meta.url)), "options"], {
    encoding: "utf8",
  });
  for (const { long, envVar } of program.options.filter((option) => option.long !== "--version")) {
    expect(stdout).toContain(`  ${long}`);
    expect(stdout).toContain(envVar ?? "");
  }
});

test("certctl api-key --help shows the help of the API keys' commands", async () => {
  expect((await outputOf("api-key", "--help")).written).toMatch(/^Usage: certctl key/);
});

test.each([
  ["certifcate list", "certificate"],
  ["certifcate --help", "certificate"],
  ["help certifcate", "certificate"],
  ["certificate isue", "issue"],
  ["certificate isue --help", "issue"],
  ["api-kye", "api-key"],
  ["webhook rotate swich", "switch"],
  ["certificate list --emial ada@example.test", "--email"],
  ["certificate list --jsno", "--json"],
])("certctl %s is refused and suggests %s", async (line, suggestion) => {
  const { written, error } = await outputOf(...line.split(" "));
  expect(error).toMatchObject({ exitCode: 1 });
  expect(written).toContain(`(Did you mean ${suggestion}?)`);
  expect(written).not.toContain("Usage:");
});

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
