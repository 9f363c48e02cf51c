import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { files, root, textOf } from "./repository.ts";

const workflows = files.filter((file) => file.startsWith(".github/workflows/"));

const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(textOf("package.json")));

const stepSchema = z.object({ uses: z.string().optional(), run: z.string().optional() });
const workflowSchema = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(z.string(), z.object({ "timeout-minutes": z.int(), steps: z.array(stepSchema) })),
});

type Step = z.infer<typeof stepSchema>;

/** Returns the steps of each job of a workflow. */
function jobsOf(file: string): readonly (readonly Step[])[] {
  return Object.values(workflowSchema.parse(parse(textOf(file))).jobs).map(({ steps }) => steps);
}

/** Returns the lines that the steps run. */
const linesOf = (steps: readonly Step[]) => steps.flatMap(({ run = "" }) => run.split("\n"));

/** Returns the names of the npm scripts in lines. */
function scriptsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => [...line.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = ""]) => name));
}

/** Returns the npm scripts that a job runs before `npm ci`, and that do not install the packages themselves. */
function tooEarly(steps: readonly Step[]): string[] {
  const lines = linesOf(steps);
  const installedAt = lines.findIndex((line) => /^\s*npm ci\b/.test(line));
  const before = installedAt === -1 ? lines : lines.slice(0, installedAt);
  return scriptsIn(before).filter((name) => scripts[`pre${name}`] === undefined);
}

// A tag can be moved to other code; a commit cannot. The comment names the release for people and for update tools.
const pinned = /^\s*(- )?uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/** Returns the lines of a workflow that use an action without naming its commit and release. */
function unpinned(text: string): string[] {
  return text.split("\n").filter((line) => /^\s*(- )?uses:/.test(line) && !pinned.test(line));
}

test("an action that is named by a tag, a branch or a short commit counts as not pinned", () => {
  const sha = "3d3c42e5aac5ba805825da76410c181273ba90b1";
  const good = `      - uses: actions/checkout@${sha} # v7.0.1`;
  const bad = [
    "      - uses: actions/checkout@v7",
    "      - uses: actions/checkout@main",
    "      - uses: actions/checkout@3d3c42e # v7.0.1",
    `      - uses: actions/checkout@${sha}`,
    "        uses: actions/checkout@v7",
  ];
  expect(unpinned([good, ...bad].join("\n"))).toEqual(bad);
});

test("there are workflows", () => {
  expect(workflows.length).toBeGreaterThan(1);
});

describe.each(workflows)("%s", (file) => {
  test("uses actions by their commit only, and grants no permission to every job", () => {
    expect(unpinned(textOf(file))).toEqual([]);
    expect(
      jobsOf(file)
        .flat()
        .filter(({ uses }) => uses !== undefined).length,
    ).toBeGreaterThan(0);
    expect(workflowSchema.parse(parse(textOf(file))).permissions).toEqual({ contents: "read" });
  });

  test("runs only npm scripts and files that exist", () => {
    const commands = linesOf(jobsOf(file).flat());
    expect(scriptsIn(commands).filter((name) => scripts[name] === undefined)).toEqual([]);
    const paths = commands.flatMap(
      (line) => line.match(/(?<![\w./-])(?:test|deploy|services|charts|\.ci)\/[\w./-]*\w/g) ?? [],
    );
    expect(paths.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  test("installs the packages before it runs an npm script that needs them", () => {
    expect(jobsOf(file).flatMap(tooEarly)).toEqual([]);
  });
});
