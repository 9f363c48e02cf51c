import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { observeCertificates } from "../../services/shared/tls/observe-certificates.ts";
import { textOf } from "./repository.ts";

const metrics = new Registry();
observeCertificates(metrics);
const names = metrics.getMetricsAsArray().map(({ name }) => name);

test.each(names)("OPERATIONS.md mentions %s, and an alert queries it", (name) => {
  expect(textOf("deploy/OPERATIONS.md")).toContain(`\`${name}\``);
  expect(textOf("deploy/alerts/certificates.rules.yaml")).toMatch(new RegExp(`expr: .*\\b${name}\\b`));
});

test("the alerts about certificates query no other metrics", () => {
  const rules = textOf("deploy/alerts/certificates.rules.yaml");
  const asked = Array.from(rules.matchAll(/expr: .*?\b(tls_\w+)/g), ([, name]) => name);
  expect(asked).toHaveLength(rules.match(/- alert: /g)?.length ?? 0);
  expect(names).toEqual(expect.arrayContaining(asked));
});
