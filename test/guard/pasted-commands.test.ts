import { expect, test } from "vitest";
import { documents, textOf } from "./repository.ts";

/** Tools that macOS lacks, and arguments that only the GNU version of a tool or a later bash than 3.2 has. */
const missingOnMacos: ReadonlyMap<string, RegExp> = new Map([
  ...["mapfile", "md5sum", "nproc", "readarray", "setsid", "sha256sum", "shuf", "tac", "timeout"].map(
    (tool): [string, RegExp] => [tool, /^/],
  ),
  ...["cat", "chmod", "du", "ls", "mkdir", "rm", "tee", "touch", "wc"].map((tool): [string, RegExp] => [tool, / --\w/]),
  ["base64", / (-w|--\w)/],
  ["cp", / (-t|-T|--\w)/],
  ["date", / (-d|--\w)|%N/],
  ["declare", / -A/],
  ["echo", / -\w*e/],
  ["find", / -(printf|regextype)/],
  ["grep", / (-\w*P|--perl-regexp)/],
  ["head", / -[cn] ?-/],
  ["mktemp", / (-p|--\w)/],
  ["mv", / (-t|-T|--\w)/],
  ["ps", / --\w/],
  ["readlink", / -[em]/],
  ["sed", / (-\w*[rz]|-\w*i(?! '')|--\w)/],
  ["sort", / --\w/],
  ["stat", / (-c|--\w)/],
  ["tar", / --(sort|transform|wildcards)/],
  ["xargs", / (-\w*[dr]|--\w)/],
]);

/** Returns the lines of the blocks that a reader pastes into a shell. */
function pastedLines(document: string): string[] {
  const blocks = [...textOf(document).matchAll(/^```(?:sh\b.*)?\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(([, block = ""]) => block.split("\n"));
}

/** Returns whether a block writes keys to files. */
const writesKeys = (block: string) => /get secret|\/dev\/urandom/.test(block) && /[^2&]>\s*["$\w]/.test(block);

test("blocks in documents that write keys to files let only the user read them", () => {
  const blocks = documents.flatMap((document) => {
    const found = [...textOf(document).matchAll(/^ *```(?:sh\b.*)?\n([\s\S]*?)^ *```/gm)];
    return found.map(([, block = ""]) => `${document}:\n${block}`).filter(writesKeys);
  });
  expect(blocks.length).toBeGreaterThan(2);
  expect(blocks.filter((block) => !block.includes("umask 077"))).toEqual([]);
});

/** Returns whether a line needs a GNU tool, or a later bash than that of macOS. */
function needsGnu(line: string): boolean {
  const commands = line.split(/[|;&(]|\b(?:do|then|until|while|if)\b/).map((command) => command.trim());
  return commands.some((command) => missingOnMacos.get(/^[\w-]+/.exec(command)?.[0] ?? "")?.test(command));
}

test("the commands in documents need no tool and no option that macOS lacks", () => {
  const lines = documents.flatMap((document) => pastedLines(document).map((line) => `${document}: ${line}`));
  expect(lines.length).toBeGreaterThan(300);
  expect(lines.filter((line) => needsGnu(line.slice(line.indexOf(": ") + 2)))).toEqual([]);
});

test.each([
  "sed -i s/a/b/ file",
  "curl -s x | sed -r 's/a/b/'",
  "until date -d tomorrow; do sleep 1; done",
  "sum=$(sha256sum file)",
  "ls --color",
  "head -n -1 file",
])("recognizes a command that macOS lacks: %s", (line) => expect(needsGnu(line)).toBe(true));

test.each(["sed -i '' s/a/b/ file", "grep -i ratelimit", "head -c 32 /dev/urandom > secret.key", "mktemp -d"])(
  "permits a command of macOS: %s",
  (line) => expect(needsGnu(line)).toBe(false),
);

// An interactive zsh, the shell of macOS, takes a comment for arguments.
test("the commands for integrators and new users contain no comments", () => {
  const read = /^README\.md$|^services\/(edge\/docs\/guide\/|client(-python)?\/README)/;
  const pages = documents.filter((document) => read.test(document));
  expect(pages.length).toBeGreaterThan(8);
  const lines = pages.flatMap((page) => pastedLines(page).map((line) => `${page}: ${line}`));
  expect(lines.filter((line) => /\s#\s/.test(line))).toEqual([]);
});
