import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configurationReference } from "../../deploy/configuration/configuration-reference.ts";
import { edgeConfig } from "../../services/edge/config.ts";
import { notifierConfig } from "../../services/notifier/config.ts";
import { registryConfig } from "../../services/registry/config.ts";
import { documents, textOf } from "./repository.ts";

test("deploy/CONFIGURATION.md matches the output of npm run generate", () => {
  const written = readFileSync(new URL("../../deploy/CONFIGURATION.md", import.meta.url), "utf8");
  expect(written).toBe(configurationReference());
});

const variables = [registryConfig, edgeConfig, notifierConfig].flatMap((config) => config.variables);

test.each(variables)("$name has a description that fits in a table cell", ({ description }) => {
  expect(description).toMatch(/^\S.{8,118}[^.]$/);
});

// Those that the guide's examples for integrators read.
const ofClients = ["REGISTRY_URL", "REGISTRY_API_KEY", "REGISTRY_LISTEN_TOKEN"];

test("documents name only variables that exist", () => {
  const names = [...variables.map(({ name }) => name), ...ofClients];
  const named = documents.flatMap((document) =>
    Array.from(textOf(document).matchAll(/\b(?:REGISTRY|EDGE|NOTIFIER)_[A-Z_]+/g), ([name]) => ({ document, name })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !names.includes(name))).toEqual([]);
});
