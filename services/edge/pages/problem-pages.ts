import type { Language } from "#shared/texts/languages.ts";
import type { Html } from "./html.ts";

/**
 * Returns a function that renders error pages whose links to other languages keep the query of the URL. A page without
 * a query is rendered only once, because a refusal must be cheap.
 */
export function problemPages<Kind extends string>(
  render: (language: Language, kind: Kind, query: URLSearchParams) => Html,
): (language: Language, kind: Kind, rawQuery: string) => Buffer | string {
  const rendered = new Map<string, Buffer>();
  return (language, kind, rawQuery) => {
    if (rawQuery !== "") return String(render(language, kind, new URLSearchParams(rawQuery)));
    const key = `${language}/${kind}`;
    const page = rendered.get(key) ?? Buffer.from(String(render(language, kind, new URLSearchParams())));
    rendered.set(key, page);
    return page;
  };
}
