import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { youngGeneration } from "#shared/lifecycle/heap-options.ts";
import { imageFolders, runtimeImports } from "./runtime-packages.ts";

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const images = Object.keys(imageFolders).sort();
const dockerfile = read("deploy/Dockerfile");

/** Returns the instructions of a stage of the Dockerfile. */
function stageOf(name: string): string {
  return dockerfile.split(` AS ${name}\n`)[1]?.split("\nFROM ")[0] ?? "";
}

test("the Dockerfile has a target for each image, with the packages and the folder of the image", () => {
  expect([...dockerfile.matchAll(/^FROM runtime AS (\w+)$/gm)].map(([, name]) => name).sort()).toEqual(images);
  for (const [image, folder] of Object.entries(imageFolders)) {
    const target = stageOf(image);
    expect(target).toContain(`COPY --from=${image}-packages /app/node_modules ./node_modules`);
    expect(target).toContain(`COPY services/${folder} ./services/${folder}`);
    expect(target).toContain(`"/app/services/${folder}/main.ts"]`);
    expect(dockerfile).toContain(
      `FROM packages AS ${image}-packages\nRUN node deploy/images/select-packages.ts ${image} `,
    );
  }
});

test.each(Object.entries(imageFolders))("the image %s has every module that its program imports", (image, folder) => {
  const stages = [stageOf("runtime"), stageOf(image)].join("\n");
  const copied = [...stages.matchAll(/^COPY ([\w/-]+) \.\/\1$/gm)].map(([, path]) => `${path}/`);
  const { modules } = runtimeImports(`services/${folder}/main.ts`);
  expect(modules.filter((module) => !copied.some((path) => module.startsWith(path)))).toEqual([]);
});

test("images bound the young generation as processes on one machine do", () => {
  expect(/^ENV .*\bNODE_OPTIONS=(\S+)$/m.exec(dockerfile)?.[1]).toBe(youngGeneration);
});

test("compose.yaml uses every image, and builds each from the target of the same name", () => {
  const { services } = parse(read("deploy/compose.yaml"), { merge: true });
  const built = Object.values<{ image: string; build?: { target: string } }>(services).flatMap(({ image, build }) =>
    build === undefined ? [] : [[image, build.target]],
  );
  for (const [image, target] of built) expect(image).toBe(`certificate-registry/${target}:0.1.0`);
  expect([...new Set(built.map(([, target]) => target))].sort()).toEqual(images);
});

test.each(["deploy/operations/install.md", ".github/workflows/ci.yml"])(
  "the commands in %s build every image",
  (file) => {
    const [, list = ""] = /for image in ([\w ]+); do/.exec(read(file)) ?? [];
    expect(list.split(" ").sort()).toEqual(images);
  },
);

test("the release workflow builds every image", () => {
  const { jobs } = parse(read(".github/workflows/release.yml"));
  expect([...jobs.images.strategy.matrix.image].sort()).toEqual(images);
});
