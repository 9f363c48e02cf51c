import { readdir, writeFile } from "node:fs/promises";
import { devNull, homedir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { chooseContext } from "./choose-context.ts";
import { contextFilePath, readContextFile, writeContextFile } from "./context-file.ts";

async function folderOfTest(): Promise<string> {
  const folder = await openTemporaryFolder("contexts", onTestFinished);
  return folder;
}

test("prefers CERTCTL_CONFIG to the XDG configuration folder, and XDG_CONFIG_HOME to ~/.config", () => {
  expect(contextFilePath({ CERTCTL_CONFIG: "/a.json", XDG_CONFIG_HOME: "/xdg" })).toBe("/a.json");
  expect(contextFilePath({ XDG_CONFIG_HOME: "/xdg" })).toBe("/xdg/certctl/config.json");
  expect(contextFilePath({})).toBe(path.join(homedir(), ".config/certctl/config.json"));
});

test("creates a missing folder, writes a file that can be read back, and leaves no temporary file", async () => {
  const folder = path.join(await folderOfTest(), "certctl");
  const location = path.join(folder, "config.json");
  const content = { current: "a", contexts: { a: { registry: "a:1", plaintext: true }, b: {} } };
  writeContextFile(location, content);
  expect(readContextFile(location)).toEqual(content);
  expect(await readdir(folder)).toEqual(["config.json"]);
});

test("reads no contexts from a missing or empty file", () => {
  for (const location of ["/nowhere/config.json", devNull]) expect(readContextFile(location)).toEqual({ contexts: {} });
});

test.each(["{", '{"contexts":{"a":{"regsitry":"a:1"}}}', "[]"])("rejects a file with the content %j", async (text) => {
  const location = path.join(await folderOfTest(), "config.json");
  await writeFile(location, text);
  expect(() => readContextFile(location)).toThrow(/^The context file .* cannot be used\. Correct or delete the file\./);
});

test("chooses the named context, otherwise the current one, and refuses an unknown name", () => {
  const file = { current: "a", contexts: { a: { store: "a.example" }, b: {} } };
  expect(chooseContext(file, undefined)).toEqual({ name: "a", store: "a.example" });
  expect(chooseContext(file, "b")).toEqual({ name: "b" });
  expect(chooseContext({ contexts: {} }, "")).toBeUndefined();
  for (const name of ["c", "toString"])
    expect(() => chooseContext(file, name)).toThrow(`The context '${name}' does not exist. To list the contexts,`);
});
