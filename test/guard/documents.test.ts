import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cellsOf, documents, root, tableRows, textOf } from "./repository.ts";

const cellCharactersMax = 120;
const decisionLinesMax = 10;
const decisionCharactersMax = 120;

// Link targets in the guide that are not files, because the edge generates them. test/browser/docs.test.ts requests
// them.
const guide = "services/edge/docs/guide";
const servedBesideGuide = [
  `${guide}/api`,
  `${guide}/changes.atom`,
  `${guide}/llms.txt`,
  "services/edge/docs/v1/openapi.json",
];

const scripts = Object.keys(
  z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(textOf("package.json"))).scripts,
);

/** Returns the repository paths that a document mentions in code spans, code blocks and relative links. */
function namedPaths(document: string): string[] {
  const text = textOf(document);
  const blocks = [...text.matchAll(/^```.*\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const words = [...spans, ...blocks].flatMap((code) => code.split(/[\s=]+/));
  const paths = words.filter((word) => /^(services|proto|deploy|charts|test|\.ci)\/[\w./-]*[\w/]$/.test(word));
  const links = [...text.matchAll(/\]\(((?!https?:|#)[^)#]+)[^)]*\)/g)].map(([, link = ""]) =>
    path.join(path.dirname(document), link),
  );
  return [...paths, ...links.filter((name) => !servedBesideGuide.includes(name))];
}

/** Returns the anchors of a document's headings, as GitHub derives them. */
function anchorsOf(document: string): string[] {
  const headings = [...textOf(document).matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, text = ""]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(documents)("%s", (document) => {
  test("mentions only paths that exist", () => {
    expect(namedPaths(document).filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  test("links only to headings that exist", () => {
    const links = [...textOf(document).matchAll(/\]\(((?!https?:)[^)#\s]*)#([\w-]+)\)/g)].flatMap(
      ([, file = "", anchor = ""]) => {
        const target = file === "" ? document : path.join(path.dirname(document), file);
        return target.endsWith(".md") ? { target, anchor } : [];
      },
    );
    expect(links.filter(({ target, anchor }) => !anchorsOf(target).includes(anchor))).toEqual([]);
  });

  test("mentions only npm scripts that exist", () => {
    const named = [...textOf(document).matchAll(/npm run (?:-s |--silent )?([\w:]+)/g)];
    expect(named.map(([, name = ""]) => name).filter((name) => !scripts.includes(name))).toEqual([]);
  });

  test(`has no table cell longer than ${cellCharactersMax} characters`, () => {
    const rows = textOf(document)
      .split("\n")
      .filter((line) => line.startsWith("|"));
    expect(rows.flatMap(cellsOf).filter((cell) => cell.length > cellCharactersMax)).toEqual([]);
  });
});

describe("deploy/operations", () => {
  const folder = "deploy/operations/";
  const pages = documents.filter((document) => document.startsWith(folder));

  test.each(pages)("%s starts with the command of its task", (page) => {
    expect(textOf(page)).toMatch(/^# [^\n]+\n\n```\n/);
  });

  test("the index links to every page", () => {
    const index = textOf(`${folder}README.md`);
    const others = pages.map((page) => page.slice(folder.length)).filter((page) => page !== "README.md");
    expect(others.length).toBeGreaterThan(20);
    expect(others.filter((page) => !index.includes(`](${page})`))).toEqual([]);
  });
});

test("services/ARCHITECTURE.md answers what folders do not, in at most 35 rows", () => {
  const rows = tableRows("services/ARCHITECTURE.md", "question");
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThanOrEqual(35);
});

describe("services/DECISIONS.md", () => {
  // An entry ends at the next entry (###) or at the next topic (##).
  const entries = textOf("services/DECISIONS.md").split(/^### /m).slice(1);
  const decisions = entries.map((entry) =>
    entry
      .replace(/^## [\s\S]*/m, "")
      .trim()
      .split("\n"),
  );

  test("has at most 60 entries", () => {
    expect(decisions.length).toBeGreaterThan(0);
    expect(decisions.length).toBeLessThanOrEqual(60);
  });

  test.each(decisions.map((lines) => ({ title: lines[0] ?? "", lines })))(
    `states a question, a choice and a reason in at most ${decisionLinesMax} lines: $title`,
    ({ title, lines }) => {
      expect(title).toMatch(/^\d{4}-\d{2}-\d{2} \S/);
      expect(lines.filter((line) => /^- (Question|Choice|Reason): /.test(line))).toHaveLength(3);
      expect(lines.length).toBeLessThanOrEqual(decisionLinesMax);
      expect(lines.filter((line) => line.length > decisionCharactersMax)).toEqual([]);
    },
  );
});
