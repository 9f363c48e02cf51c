import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { root } from "./repository.ts";

const cases = [
  ["{ ...{ a: 1 }, b: 2 }", true],
  ["{ ...({ a: 1 }), b: 2 }", true],
  ["{ ...({ a: 1 } as const), b: 2 }", true],
  ["{ ...({ a: 1 } satisfies object), b: 2 }", true],
  ["{ ...base, b: 2 }", false],
  ["{ ...(base.a === 1 ? {} : { b: 2 }), b: [...[1]] }", false],
] as const;

const folder = await openTemporaryFolder("certificate-registry-lint", afterAll);
const plugins = [path.join(root, "test/guard/no-object-literal-spread.grit")];
writeFileSync(path.join(folder, "biome.json"), JSON.stringify({ root: true, plugins }));
for (const [index, [literal]] of cases.entries())
  writeFileSync(
    path.join(folder, `planted-${index}.ts`),
    `const base = { a: 1 };\nexport const planted = ${literal};\n`,
  );
const { stdout } = spawnSync("biome", ["lint", "--reporter=github", "."], { cwd: folder, encoding: "utf8" });

test.each(cases)("the lint rule against spread object literals judges %s: refused %s", (literal, isRefused) => {
  const file = `planted-${cases.findIndex(([other]) => other === literal)}.ts`;
  const reports = stdout.split("\n").filter((line) => line.includes(`/${file},`));
  expect(reports.some((line) => line.includes("Write the properties of this object literal directly"))).toBe(isRefused);
});
