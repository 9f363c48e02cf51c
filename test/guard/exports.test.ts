import path from "node:path";
import { expect, test } from "vitest";
import { files, isHandWritten, textOf } from "./repository.ts";

/** Modules that are imported from outside the repository: by integrators, and by the test runner. */
const importedFromOutside = /^(services\/client\/|test\/client\/|test\/harness\/global-setup\.ts$)/;
/** The module that the translations' files are generated into, and the one that contains its lines. */
const generated = ["services/shared/texts/text-files.ts", "deploy/texts/text-modules.ts"];

const modules = new Map(
  files.filter((file) => isHandWritten(file) && /\.(ts|mjs)$/.test(file)).map((file) => [file, textOf(file)]),
);

/** Returns the imports of a module: which names of which file; all names if the module is loaded when needed. */
function importsIn(
  file: string,
  text: string,
): { readonly target: string; readonly names: readonly string[] | "all" }[] {
  const targetOf = (specifier = "") =>
    path.normalize(specifier.replace(/^#shared\//, "services/shared/").replace(/^\./, `${path.dirname(file)}/.`));
  const named = text.matchAll(/\b(?:import|export)\s+(?:type\s+)?(?:\w+,\s*)?\{([^}]*)\}\s*from\s*"([^"]+)"/g);
  const whole = text.matchAll(/\bimport\("([^"]+)"\)|\b(?:import|export) \* (?:as \w+ )?from "([^"]+)"/g);
  return [
    ...Array.from(named, ([, list = "", specifier]) => ({
      target: targetOf(specifier),
      names: list.split(",").map((name) =>
        name
          .trim()
          .replace(/^type /, "")
          .replace(/ as .*/, ""),
      ),
    })),
    ...Array.from(whole, ([, one, other]) => ({ target: targetOf(one ?? other), names: "all" as const })),
  ];
}

/** Returns the names that a module exports. */
function exportsIn(text: string): string[] {
  const declared = /^export (?:abstract |async )*(?:function\*?|class|const|let|interface|type|enum) ([\w$]+)/gm;
  return Array.from(text.matchAll(declared), ([, name = ""]) => name);
}

/** Returns what modules export although no other one imports it, as `file: name`. */
function unusedExports(texts: ReadonlyMap<string, string>): string[] {
  const imports = [...texts].flatMap(([file, text]) => importsIn(file, text));
  const used = new Set(
    imports.flatMap(({ target, names }) => (names === "all" ? target : names.map((name) => `${target}: ${name}`))),
  );
  return [...texts].flatMap(([file, text]) =>
    used.has(file)
      ? []
      : exportsIn(text)
          .map((name) => `${file}: ${name}`)
          .filter((one) => !used.has(one)),
  );
}

test("what a module exports is imported elsewhere", () => {
  const isExempt = (file: string) =>
    importedFromOutside.test(file) || generated.includes(file) || file.endsWith(".test.ts");
  expect(unusedExports(modules).filter((one) => !isExempt(one.replace(/: .*/, "")))).toEqual([]);
});

test("the guard recognizes the planted export", () => {
  const imported = "export interface A {}\nexport const b = 1;\nexport type C = A;";
  const planted = new Map([
    ["services/edge/a.ts", imported],
    ["services/edge/folder/b.ts", 'import { type A, b as c } from "../a.ts";'],
  ]);
  expect(unusedExports(planted)).toEqual(["services/edge/a.ts: C"]);
  planted.set("services/edge/c.ts", 'const { C } = await import("./a.ts");');
  expect(unusedExports(planted)).toEqual([]);
});
