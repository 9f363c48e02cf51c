import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "./repository.ts";

test.each([
  ["{ ...{ a: 1 }, b: 2 }", true],
  ["{ ...({ a: 1 }), b: 2 }", true],
  ["{ ...base, b: 2 }", false],
  ["{ ...(base.a === 1 ? {} : { b: 2 }), b: [...[1]] }", false],
])("the lint rule against spread object literals judges %s: refused %s", (literal, isRefused) => {
  const folder = mkdtempSync(path.join(tmpdir(), "certificate-registry-lint-"));
  try {
    const plugins = [path.join(root, "test/guard/no-object-literal-spread.grit")];
    writeFileSync(path.join(folder, "biome.json"), JSON.stringify({ root: true, plugins }));
    writeFileSync(path.join(folder, "planted.ts"), `const base = { a: 1 };\nexport const planted = ${literal};\n`);
    const { stdout, stderr } = spawnSync("biome", ["lint", "."], { cwd: folder, encoding: "utf8" });
    expect(`${stdout}${stderr}`.includes("Write the properties of this object literal directly")).toBe(isRefused);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
