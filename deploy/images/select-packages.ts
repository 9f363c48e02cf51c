/**
 * `node deploy/images/select-packages.ts <image>` removes from ./package.json the packages that an image does not use,
 * so that `npm prune` uninstalls them and the packages that only they need. Runs in the image builds.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { imageFolders, runtimePackages } from "./runtime-packages.ts";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

function isImage(name: string): name is keyof typeof imageFolders {
  return Object.hasOwn(imageFolders, name);
}

const [image = ""] = process.argv.slice(2);
if (!isImage(image)) throw new Error(`The image must be one of ${Object.keys(imageFolders).join(", ")}.`);
const packages = runtimePackages(`services/${imageFolders[image]}/main.ts`);
const {
  devDependencies: _,
  scripts: __,
  workspaces: ___,
  ...manifest
}: Manifest = JSON.parse(readFileSync("package.json", "utf8"));
const unknown = packages.filter((name) => !Object.hasOwn(manifest.dependencies, name));
if (unknown.length > 0) throw new Error(`package.json does not list ${unknown.join(", ")} as dependencies.`);
const dependencies = Object.fromEntries(packages.map((name) => [name, manifest.dependencies[name]]));
writeFileSync("package.json", `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`);
