import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import which from "which";
import { openTemporaryFolder } from "../../../../test/harness/files/temporary-folder.ts";
import { buildCertctl } from "../../certctl.ts";
import { writeContextFile } from "../../contexts/context-file.ts";
import { bashScript } from "./bash-script.ts";
import { completionTables } from "./completion-tables.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

const folder = await openTemporaryFolder("completion", afterAll);
const fileOf = (name: string) => path.join(folder, name);
const program = fileURLToPath(new URL("../../main.ts", import.meta.url));
writeFileSync(fileOf("certctl"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
chmodSync(fileOf("certctl"), 0o755);
writeFileSync(fileOf("orders 1.csv"), "");
writeContextFile(fileOf("contexts.json"), { current: "prod", contexts: { staging: {}, prod: {} } });
const env = {
  ...process.env,
  HOME: folder,
  PATH: `${folder}:${process.env.PATH}`,
  CERTCTL_CONFIG: fileOf("contexts.json"),
};

const tables = completionTables(await buildCertctl());
const scripts = { bash: bashScript(tables), zsh: zshScript(tables), fish: fishScript(tables) };

// Real zsh computes the candidates; only its completion system, which needs a terminal, is replaced.
const zshSystem = `compdef() { :; }
compset() { prefix="\${words[CURRENT]%%=*}="; }
_describe() { print -rl -- "$prefix"\${^\${(P)2}}; }
_files() { print -rl -- *.csv; }`;

const commands: Record<keyof typeof scripts, string> = {
  bash: `source "$1"; COMP_LINE="$2"; COMP_POINT=\${#2}; _certctl
    [[ "$2" == *=* ]] && prefix="--\${2#*--}" prefix="\${prefix%%=*}="
    for reply in "\${COMPREPLY[@]}"; do echo "$prefix$reply"; done`,
  zsh: `${zshSystem}; source $1; words=(\${(z)2}); [[ $2 == *' ' ]] && words+=(''); CURRENT=\${#words}; _certctl`,
  fish: "source $argv[1]; complete -C $argv[2]",
};

/** Returns the words that the shell offers for the last word of a command line, sorted. */
function complete(shell: keyof typeof scripts, line: string): string[] {
  const script = fileOf(`certctl.${shell}`);
  writeFileSync(script, scripts[shell]);
  const clean = { bash: ["--norc", "-c", commands.bash, "bash"], zsh: ["-fc", commands.zsh, "zsh"] };
  const args = shell === "fish" ? ["--no-config", "-c", commands.fish] : clean[shell];
  const out = execFileSync(shell, [...args, script, line], { cwd: folder, env, encoding: "utf8", timeout: 20_000 });
  const last = line.split(" ").at(-1) ?? "";
  const words = out.split("\n").map((word) => (/^-.*=|\.csv$/.test(word) ? word : (word.split(/[\t:]/)[0] ?? "")));
  return words.filter((word) => word !== "" && word.startsWith(last)).toSorted();
}

describe.each(["bash", "zsh", "fish"] as const)("in %s, the script", (shell) => {
  test.skipIf(which.sync(shell, { nothrow: true }) === null).for([
    ["commands", "certctl web", ["webhook"]],
    ["subcommands", "certctl webhook rotate ", ["begin", "cancel", "finish", "switch"]],
    ["options of the command", "certctl certificate list --upd", ["--updated-since"]],
    ["options of certctl", "certctl key list --cert", ["--cert-domain", "--cert-file"]],
    ["values of an option", "certctl certificate list --status ", ["active", "all", "expired", "revoked"]],
    ["values after an equals sign", "certctl certificate list --status=a", ["--status=active", "--status=all"]],
    ["values of an argument", "certctl plan set p", ["pro"]],
    ["context names", "certctl context use ", ["prod", "staging"]],
    ["context names for an option", "certctl key list --context st", ["staging"]],
    ["nothing where any text is possible", "certctl certificate issue --title ", []],
    ["subcommands after an option whose value is the name of a command", "certctl --store plan context u", ["use"]],
    ["nothing after the last argument", "certctl plan set pro ", []],
  ] as const)("completes %s", ([, line, expected]) => {
    expect(complete(shell, line)).toEqual(expected);
  });

  test.skipIf(which.sync(shell, { nothrow: true }) === null)("completes file names", () => {
    expect(complete(shell, "certctl import orders orders").map((name) => name.replaceAll("\\", ""))).toEqual([
      "orders 1.csv",
    ]);
  });
});

test("the completion tables contain nested commands and their options", () => {
  const paths = tables.commands.flatMap(([key, children]) => children.map((child) => `${key} ${child.split("\t")[0]}`));
  expect(paths).toContain("certctl webhook rotate begin");
  const flags = tables.options.flatMap(([, options]) => options.map((option) => option.split("\t")[0]));
  expect(new Set(flags)).toContain("--revoke-refunded");
});
