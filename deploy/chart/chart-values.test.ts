import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { leavesOf, parseChartValues } from "./chart-values.ts";
import { readComponentDefaults } from "./component-defaults.ts";
import { releaseValues } from "./release-values.ts";
import { serviceNames, variablesOf } from "./service-variables.ts";
import { valuesSchema } from "./values-schema.ts";
import { withValuesTable } from "./values-table.ts";

const chart = new URL("../../charts/certificate-registry/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, chart), "utf8");
const values = parseChartValues(read("values.yaml"));

describe("values.yaml", () => {
  test("matches the values.schema.json that npm run generate writes", () => {
    expect(JSON.parse(read("values.schema.json"))).toEqual(valuesSchema(values, readComponentDefaults()));
  });

  test("matches the tables that npm run generate writes into the chart's README", () => {
    expect(withValuesTable(read("README.md"), values)).toBe(read("README.md"));
  });

  test("describes every value in full sentences", () => {
    const sentences = leavesOf(values).filter(({ description }) => !/^[A-Z].*[.}]$/.test(description));
    expect(sentences.map(({ path }) => path)).toEqual([]);
  });
});

test("takes the description of a key from the comment above the key, even for the first key of a group", () => {
  const text =
    '# About the file.\n\n# Size.\n# @schema {"minimum": 1}\nsize: 2\ngroup:\n  # First.\n  a: x\n  # Second.\n  b: y\n';
  expect(leavesOf(parseChartValues(text))).toMatchObject([
    { path: "size", description: "Size.", keywords: { minimum: 1 }, value: 2 },
    { path: "group.a", description: "First.", value: "x" },
    { path: "group.b", description: "Second.", value: "y" },
  ]);
});

describe("the values of a release", () => {
  const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
  const digests = new Map(
    ["edge", "registry", "notifier", "certctl"].map((image, index) => [image, digest(`${index}`)]),
  );

  const release = { repository: "registry.example.com/released", digests, filesUrl: "https://git.example.com/v1" };

  test("contain its repository, digests and runbooks, and are otherwise the same", () => {
    const text = read("values.yaml");
    const released = releaseValues(text, release);
    const leaves = leavesOf(parseChartValues(released));
    const defaultOf = (path: string) => leaves.find((leaf) => leaf.path === path)?.value;
    expect(defaultOf("image.repository")).toBe("registry.example.com/released");
    const paths = ["edge.image.digest", "registry.image.digest", "notifier.image.digest", "helmTest.image.digest"];
    expect(paths.map(defaultOf)).toEqual([...digests.values()]);
    expect(defaultOf("prometheusRule.runbookBaseUrl")).toBe("https://git.example.com/v1/deploy/runbooks/");
    const changed = ["image.repository", "prometheusRule.runbookBaseUrl", ...paths];
    const unchanged = (leaf: { readonly path: string }) => !changed.includes(leaf.path);
    expect(leaves.filter(unchanged)).toEqual(leavesOf(values).filter(unchanged));
  });

  test("are refused without the digest of every image", () => {
    digests.delete("certctl");
    expect(() => releaseValues(read("values.yaml"), release)).toThrow("certctl needs a digest");
  });
});

test("the schema shows a component's own defaults, and those of the services where it has none", () => {
  const services =
    '  services:\n    # A.\n    # @schema {"$ref": "#/$defs/a"}\n    a: { b: 1, c: { d: 2 } }\n    # E.\n    e: 3\n';
  const group = (name: string) => `  # @schema {"x-defaults": ["services"]}\n  ${name}:\n    # F.\n    f: 4\n`;
  const text = `${services}${group("registry")}${group("edge")}`.replaceAll(/^ {2}/gm, "");
  const schema = valuesSchema(parseChartValues(text), { registry: { a: { c: { d: 5 } } } });
  const shown = (a: unknown) => ({ properties: { f: { default: 4 }, a: { default: a }, e: { default: 3 } } });
  expect(schema).toMatchObject({
    properties: { edge: shown({ b: 1, c: { d: 2 } }), registry: shown({ b: 1, c: { d: 5 } }) },
  });
});

test("rejects a value without a comment", () => {
  expect(() => parseChartValues("group:\n  a: 1\n")).toThrow("group.a has no comment");
});

test.each(serviceNames)("the fields of %s are its variable names in camel case, without the prefix", (service) => {
  for (const { name, field } of variablesOf(service)) {
    const variable = field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    expect(field.startsWith("otel") ? variable : `${service.toUpperCase()}_${variable}`).toBe(name);
  }
});

test("the schema of a variable has the type and the bounds that the service requires", () => {
  const schemaOf = (field: string) => variablesOf("registry").find((variable) => variable.field === field)?.schema;
  expect(schemaOf("streamReplicas")).toMatchObject({ type: "integer", minimum: 1 });
  expect(schemaOf("logLevel")).toMatchObject({ type: "string", enum: expect.arrayContaining(["info"]) });
  expect(schemaOf("mongodbUriFile")).toEqual({ type: "string" });
});
