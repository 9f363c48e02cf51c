import { expect, test } from "vitest";
import { languageMenu } from "./language-links.ts";

const linkOf = (query: string) => {
  const [, link] = /href="([^"]*lang=fr[^"]*)"/.exec(String(languageMenu("de", new URLSearchParams(query)))) ?? [];
  return link?.replaceAll("&amp;", "&");
};

test.each([
  ["", "?lang=fr"],
  ["q=kite+%26+sun&status=revoked&after=50", "?q=kite+%26+sun&status=revoked&after=50&lang=fr"],
  ["certificate=crt_1&certificate=crt_2", "?certificate=crt_1&certificate=crt_2&lang=fr"],
  ["lang=de&id=tst_1&lang=ja", "?id=tst_1&lang=fr"],
  ["done=saved&all", "?all=&lang=fr"],
  [`q="><script>`, "?q=%22%3E%3Cscript%3E&lang=fr"],
])("a link to another language keeps the query '%s', except for the language and a confirmation", (query, link) => {
  expect(linkOf(query)).toBe(link);
});
