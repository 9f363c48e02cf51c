import { parseDocument } from "yaml";

/** The images of a release, and where the chart's values have their digests. */
const digestPaths = {
  edge: ["edge", "image", "digest"],
  registry: ["registry", "image", "digest"],
  notifier: ["notifier", "image", "digest"],
  certctl: ["helmTest", "image", "digest"],
} as const;

/** What the chart of a release contains and the chart in the repository does not. */
interface Release {
  /** Start of the images' names, such as registry.example.com/certificate-registry. */
  readonly repository: string;
  /** The digest of each image by its name. */
  readonly digests: ReadonlyMap<string, string>;
  /** Address of the release's files, to which a slash and a path in the repository are added. */
  readonly filesUrl: string;
}

/**
 * Writes the images of a release into the chart's values, so that an installation of the released chart runs exactly
 * the images that were built with it, and the address of the runbooks, so that a person who is alerted can open them.
 *
 * @param text the content of values.yaml, whose comments remain
 * @throws Error when a digest is missing or malformed
 */
export function releaseValues(text: string, { repository, digests, filesUrl }: Release): string {
  const document = parseDocument(text);
  document.setIn(["image", "repository"], repository);
  document.setIn(["prometheusRule", "runbookBaseUrl"], `${filesUrl}/deploy/runbooks/`);
  for (const [image, path] of Object.entries(digestPaths)) {
    const digest = digests.get(image) ?? "";
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${image} needs a digest (sha256:…), got "${digest}"`);
    document.setIn(path, digest);
  }
  return document.toString({ lineWidth: 0 });
}
