import type { GuidePage } from "./guide-pages.ts";

/**
 * Returns the Markdown of a page with its links adapted to the folder from which the Markdown is served.
 *
 * @param folder relative path from that folder to the folder of the pages, such as `docs/`; empty if they are the same
 */
export function markdownFor({ markdown }: GuidePage, folder: string): string {
  if (folder === "") return markdown;
  return markdown.replaceAll(/\]\((?!\w+:|#)([^)]+)\)/g, (_, target: string) => {
    return `](${`${folder}${target}`.replace("docs/../", "")})`;
  });
}

/**
 * Returns the index of the pages for language models (llmstxt.org).
 *
 * @param folder relative path from the index to the pages, such as `docs/`; empty if they are in the same folder
 */
export function llmsText(guide: readonly GuidePage[], folder: string): string {
  const line = ({ slug, title, lead }: GuidePage) => `- [${title}](${folder}${slug}.md): ${lead}`;
  const openApi = folder === "" ? "../v1/openapi.json" : "v1/openapi.json";
  return `# Certificate registry

> Read a store's certificates of authenticity through a paged HTTP API, stay current with \`updated_since\`, and receive
> signed webhooks.

## Docs

${guide.map(line).join("\n")}

## Optional

- [OpenAPI 3.1 document](${openApi}): the list and the webhook messages, with schemas and recorded examples
- [All pages in one file](${folder}llms-full.txt)
`;
}

export function fullText(guide: readonly GuidePage[]): string {
  return guide.map(({ markdown }) => markdown).join("\n---\n\n");
}
