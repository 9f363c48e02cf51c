import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const text = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
const documented = text("services/README.md");

/** The variables that a configuration file reads. */
function variablesOf(service: string): string[] {
  const names = text(`services/${service}/config.ts`).match(
    new RegExp(`\\b${service.toUpperCase()}_[A-Z_]+\\b`, "g"),
  );
  return [...new Set(names ?? [])].sort();
}

test.each(["registry", "edge", "notifier"])("every variable of %s is documented, and no other", (service) => {
  const rows =
    documented.match(new RegExp(`(?<=^\\| \`)${service.toUpperCase()}_[A-Z_]+(?=\` \\|)`, "gm")) ?? [];
  expect(variablesOf(service).length).toBeGreaterThan(5);
  expect([...rows].sort()).toEqual(variablesOf(service));
});
