import type { Language } from "#shared/texts/languages.ts";
import type { Html } from "./html.ts";

// Every language's link repeats the query, so a long one would make a refusal dear.
const keptQueryMax = 256;
/** The kinds of page that answer a request which must not take up any of the edge's time. */
const shedding: ReadonlySet<string> = new Set(["limited", "unavailable", "limitedUnchanged", "unchanged"]);

/**
 * Returns a function that renders error pages whose links to other languages keep the query of the URL, if it has at
 * most 256 characters. Refusals must be cheap: a page without a query, and one that sheds load, is rendered only once.
 */
export function problemPages<Kind extends string>(
  render: (language: Language, kind: Kind, query: URLSearchParams) => Html,
): (language: Language, kind: Kind, rawQuery: string) => Buffer | string {
  const rendered = new Map<string, Buffer>();
  return (language, kind, rawQuery) => {
    if (rawQuery !== "" && rawQuery.length <= keptQueryMax && !shedding.has(kind))
      return String(render(language, kind, new URLSearchParams(rawQuery)));
    const key = `${language}/${kind}`;
    const page = rendered.get(key) ?? Buffer.from(String(render(language, kind, new URLSearchParams())));
    rendered.set(key, page);
    return page;
  };
}
