import { execFile } from "node:child_process";
import { cp, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openTemporaryFolder } from "../../test/harness/files/temporary-folder.ts";
import { variants } from "../../test/harness/variants.ts";
import { imageFolders } from "./runtime-packages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), dev: z.boolean().optional() })),
});
const sbomSchema = z.object({
  components: z.array(z.object({ group: z.string().optional(), name: z.string(), version: z.string() })),
});

/** Returns the packages in the lock file, such as `koa@3.0.0`, that only development needs. */
async function developmentPackages(): Promise<ReadonlySet<string>> {
  const { packages } = lockSchema.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
  const named = Object.entries(packages).flatMap(([path, { version, dev = false }]) =>
    path.includes("node_modules/") ? [{ id: `${path.split("node_modules/").at(-1)}@${version}`, dev }] : [],
  );
  const needed = new Set(named.flatMap(({ id, dev }) => (dev ? [] : [id])));
  return new Set(named.flatMap(({ id, dev }) => (dev && !needed.has(id) ? [id] : [])));
}

/** Selects and prunes packages as the image's stage in the Dockerfile does, without installing them. */
async function packagesOf(image: string): Promise<string[]> {
  const folder = await openTemporaryFolder("image-packages", onTestFinished);
  for (const part of ["package.json", "package-lock.json", "proto/gen", "services", "deploy/images"])
    await cp(join(root, part), join(folder, part), { recursive: true });
  const installed = join(folder, "node_modules");
  await symlink(join(root, "node_modules"), installed);
  const inFolder = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  await run(process.execPath, ["deploy/images/select-packages.ts", image], inFolder);
  await rm(installed);
  await run("npm", ["prune", "--package-lock-only", "--offline", "--ignore-scripts", "--no-audit"], inFolder);
  const sbom = await run("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], inFolder);
  const { components } = sbomSchema.parse(JSON.parse(sbom.stdout));
  return components.map(({ group, name, version }) => `${group === undefined ? "" : `${group}/`}${name}@${version}`);
}

test.each(variants(Object.keys(imageFolders)))(
  "the image %s has no package that only development and tests need",
  async (image) => {
    const onlyDevelopment = await developmentPackages();
    expect([...onlyDevelopment].some((id) => id.startsWith("vitest@"))).toBe(true);
    const packages = await packagesOf(image);
    expect(packages.some((id) => id.startsWith("@grpc/grpc-js@"))).toBe(true);
    expect(packages.filter((id) => onlyDevelopment.has(id))).toEqual([]);
  },
  60_000,
);
