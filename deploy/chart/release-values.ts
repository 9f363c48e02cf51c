import { parseDocument } from "yaml";

/** The images of a release, and where the chart's values have their digests. */
const digestPaths = {
  edge: ["edge", "image", "digest"],
  registry: ["registry", "image", "digest"],
  notifier: ["notifier", "image", "digest"],
  certctl: ["helmTest", "image", "digest"],
} as const;

/**
 * Writes the images of a release into the chart's values, so that an installation of the released chart runs exactly
 * the images that were built with it.
 *
 * @param text the content of values.yaml, whose comments remain
 * @param repository start of the images' names, such as registry.example.com/certificate-registry
 * @param digests the digest of each image by its name
 * @throws Error when a digest is missing or malformed
 */
export function releaseValues(text: string, repository: string, digests: ReadonlyMap<string, string>): string {
  const document = parseDocument(text);
  document.setIn(["image", "repository"], repository);
  for (const [image, path] of Object.entries(digestPaths)) {
    const digest = digests.get(image) ?? "";
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${image} needs a digest (sha256:…), got "${digest}"`);
    document.setIn(path, digest);
  }
  return document.toString({ lineWidth: 0 });
}
