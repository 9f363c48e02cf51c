import { readFileSync } from "node:fs";
import { errorTable } from "../openapi/error-responses.ts";
import { newestArchive, newestWheel } from "./client-archives.ts";

/** A page of the guide for integrators. */
export interface GuidePage {
  /** The last segment of the page's path; the path of `quick-start` is `/docs` itself. */
  readonly slug: string;
  readonly title: string;
  /** The first paragraph, without markup. */
  readonly lead: string;
  /** Links between pages are file names, such as `sync.md`. */
  readonly markdown: string;
}

/** The pages by section, in the order of the navigation. */
export const guideSections = [
  ["Start", ["quick-start", "libraries"]],
  ["Guides", ["sync", "webhooks"]],
  ["Reference", ["errors", "limits", "versioning", "changes"]],
] as const;

/** The slug of the page at `/docs`. */
export const firstPage = "quick-start";

/** The file names of the archives that the guide installs. */
interface InstalledArchives {
  readonly client: string;
  /** Undefined: the edge has none, and the guide says how to build one. */
  readonly wheel: string | undefined;
}

/**
 * Reads the pages of the guide.
 *
 * @param archives default: those that the edge serves
 * @throws Error if a page is missing, or has no title or no first paragraph
 */
export function loadGuide(
  archives: InstalledArchives = { client: newestArchive(), wheel: newestWheel() },
): readonly GuidePage[] {
  return guideSections.flatMap(([, slugs]) => slugs).map((slug) => loadPage(slug, archives));
}

// Lines that apply only with a wheel (`#`), or only without one (`^`).
const wheelLines = /^\{\{([#^])wheel\}\}\n([\s\S]*?)^\{\{\/wheel\}\}\n/gm;

function loadPage(slug: string, { client, wheel }: InstalledArchives): GuidePage {
  const text = readFileSync(new URL(`guide/${slug}.md`, import.meta.url), "utf8");
  const markdown = text
    .replaceAll(wheelLines, (_, sign: string, lines: string) => ((sign === "#") === (wheel !== undefined) ? lines : ""))
    .replace("{{errors}}", errorTable())
    .replaceAll("{{client}}", client)
    .replaceAll("{{wheel}}", wheel ?? "");
  const [, title, first] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(markdown) ?? [];
  if (title === undefined || first === undefined)
    throw new Error(`the page ${slug} has no title or no first paragraph`);
  const lead = first
    .replaceAll("\n", " ")
    .replaceAll(/\*\*|`/g, "")
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return { slug, title, lead, markdown };
}
