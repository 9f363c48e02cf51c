import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});
const files = listed.split("\n").filter((file) => file !== "" && existsSync(path.join(root, file)));
const text = (file: string) => readFileSync(path.join(root, file), "utf8");
const lines = (file: string) => text(file).split("\n").length - 1;
const written = files.filter((file) => file.endsWith(".ts") && !file.startsWith("proto/gen/"));

test("hand-written files stay small: 250 lines, tests 400, main.ts 20", () => {
  const limitOf = (file: string) => (file.endsWith("/main.ts") ? 20 : file.endsWith(".test.ts") ? 400 : 250);
  expect(written.filter((file) => lines(file) > limitOf(file))).toEqual([]);
});

test("every service opens with the same three files", () => {
  for (const service of ["registry", "edge", "notifier"])
    for (const name of ["main", "config", "run"]) expect(files).toContain(`services/${service}/${name}.ts`);
});

test("no test is switched off or runs alone", () => {
  const tests = written.filter((file) => file.endsWith(".test.ts"));
  // Split, so that this file does not find itself.
  const switches = new RegExp(`\\b(it|test|describe)\\.(${["only", "skip", "todo"].join("|")})\\(`);
  expect(tests.filter((file) => switches.test(text(file)))).toEqual([]);
});

test("every decision is dated and at most ten lines long", () => {
  const decisions = text("services/DECISIONS.md").split(/^## /m).slice(1);
  expect(decisions.length).toBeGreaterThan(0);
  for (const decision of decisions) {
    expect(decision).toMatch(/^\d{4}-\d{2}-\d{2} /);
    expect(decision.trim().split("\n").length, decision.split("\n")[0]).toBeLessThanOrEqual(10);
  }
});

test.each(files.filter((file) => file.endsWith(".md")))("every path that %s names exists", (document) => {
  const spans = [...text(document).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const paths = spans.filter((span) => /^(services|proto|deploy|charts|test|\.ci)\/[\w./-]*$/.test(span));
  const links = [...text(document).matchAll(/\]\(((?!https?:|#)[^)]+)\)/g)].map(([, link = ""]) =>
    path.join(path.dirname(document), link),
  );
  expect([...paths, ...links].filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

test.each(files.filter((file) => file.endsWith(".md")))(
  "every npm script that %s names exists",
  (document) => {
    const scripts = Object.keys(JSON.parse(text("package.json")).scripts);
    const named = [...text(document).matchAll(/npm run (?:-s |--silent )?([\w:]+)/g)].map(
      ([, name = ""]) => name,
    );
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  },
);
