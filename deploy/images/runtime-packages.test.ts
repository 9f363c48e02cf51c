import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { imageFolders, runtimePackages } from "./runtime-packages.ts";

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const dependenciesOf = (file: string) =>
  manifest.parse(JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"))).dependencies;
const dependencies = dependenciesOf("package.json");
const packagesOf = (folder: string) => runtimePackages(`services/${folder}/main.ts`);
const folders = Object.values(imageFolders);

test.each(folders)("services/%s imports only packages that package.json lists as dependencies", (folder) => {
  expect(packagesOf(folder).filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
});

test("every dependency in package.json is part of an image", () => {
  const used = new Set(folders.flatMap(packagesOf));
  expect(Object.keys(dependencies).filter((name) => !used.has(name))).toEqual([]);
});

test("only the registry's image contains the database driver, and certctl's does not contain Koa", () => {
  expect(folders.filter((folder) => packagesOf(folder).includes("mongodb"))).toEqual(["registry"]);
  expect(packagesOf("cli")).not.toContain("koa");
});

test("finds packages whose files are read rather than imported, and those of programs in child processes", () => {
  expect(packagesOf("edge")).toContain("swagger-ui-dist");
  expect(packagesOf("edge")).toContain("sharp");
});

test("npm start runs with the dependencies of package.json and deploy/local/packages, and the latter has no others", () => {
  const local = Object.keys(dependenciesOf("deploy/local/packages/package.json"));
  const programs = ["start", "receiver/main", "demo-shop/main", "servers/download-mongod"];
  const used = new Set(programs.flatMap((name) => runtimePackages(`deploy/local/${name}.ts`)));
  const missing = [...used].filter((name) => !Object.hasOwn(dependencies, name) && !local.includes(name));
  expect(missing).toEqual([]);
  // The client library is compiled with the program tsc.
  expect(local.filter((name) => !used.has(name))).toEqual(["typescript"]);
});
