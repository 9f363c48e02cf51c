import { expect, test } from "vitest";
import { html } from "./html.ts";
import { problemPages } from "./problem-pages.ts";

function countedPages() {
  let count = 0;
  const page = problemPages<"notFound" | "limited" | "unavailable" | "limitedUnchanged" | "unchanged">(
    (language, kind, query) => {
      count++;
      return html`${language} ${kind} ${String(query)}`;
    },
  );
  return { page, rendered: () => count };
}

test("an error page keeps a short query in its links", () => {
  const { page } = countedPages();
  expect(String(page("en", "notFound", "q=1"))).toBe("en notFound q=1");
});

test.each([
  ["notFound", "a&".repeat(7_600)],
  ["limited", "q=1"],
  ["unavailable", "q=1"],
  ["limitedUnchanged", "q=1"],
  ["unchanged", "q=1"],
] as const)("the page %s for a query that would be dear is rendered once for all requests", (kind, query) => {
  const { page, rendered } = countedPages();
  const pages = [page("en", kind, query), page("en", kind, `${query}&q=2`), page("en", kind, "")];
  expect(pages.map(String)).toEqual(Array(3).fill(`en ${kind} `));
  expect(rendered()).toBe(1);
});
