/**
 * `node deploy/chart/write-release.ts <repository> <address of the files> <image>=<digest> …` writes the images of a
 * release and the address of its runbooks into values.yaml, before the release workflow packages the chart.
 */
import { readFile, writeFile } from "node:fs/promises";
import { releaseValues } from "./release-values.ts";

const valuesFile = new URL("../../charts/certificate-registry/values.yaml", import.meta.url);
const [repository = "", filesUrl = "", ...images] = process.argv.slice(2);
const digests = new Map(
  images.map((image) => [image.slice(0, image.indexOf("=")), image.slice(image.indexOf("=") + 1)]),
);
await writeFile(valuesFile, releaseValues(await readFile(valuesFile, "utf8"), { repository, digests, filesUrl }));
