import { html } from "../pages/html.ts";
import type { GuidePage } from "./guide-pages.ts";
import { renderMarkdown } from "./render-markdown.ts";

/**
 * Returns the page of changes as an Atom feed (RFC 4287) with an entry for each day. Its links are relative to the
 * feed, which is in the folder of the pages.
 *
 * @throws Error if a heading of the page is not a date
 */
export function changesFeed({ title, lead, markdown }: GuidePage): string {
  const days = markdown.split(/^## /m).slice(1).map(dayOf);
  const entries = days.map(
    ({ date, content }) => html`<entry>
<id>urn:certificate-registry:changes:${date}</id>
<title>${title} of ${date}</title>
<updated>${date}T00:00:00Z</updated>
<link href="changes#${date}"/>
<content type="html">${content}</content>
</entry>
`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
${html`<feed xmlns="http://www.w3.org/2005/Atom">
<id>urn:certificate-registry:changes</id>
<title>${title}</title>
<subtitle>${lead}</subtitle>
<updated>${days[0]?.date}T00:00:00Z</updated>
<author><name>Certificate registry</name></author>
<link rel="self" href="changes.atom"/>
<link href="changes"/>
${entries}</feed>`}
`;
}

function dayOf(section: string) {
  const [, date, changes = ""] = /^(\d{4}-\d{2}-\d{2})\n([\s\S]*)$/.exec(section) ?? [];
  if (date === undefined) throw new Error(`the heading ${section.split("\n", 1)[0]} of the page changes is not a date`);
  const { content } = renderMarkdown(changes, (target) => target.replace(/^([\w-]+)\.md/, "$1"));
  return { date, content: String(content) };
}
