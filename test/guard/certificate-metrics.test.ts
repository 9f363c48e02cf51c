import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { observeCertificates } from "../../services/shared/tls/observe-certificates.ts";
import { textOf } from "./repository.ts";

const metrics = new Registry();
observeCertificates(metrics);
const names = metrics.getMetricsAsArray().map(({ name }) => name);

test.each(names)("deploy/operations/metrics.md mentions %s, and an alert queries it", (name) => {
  expect(textOf("deploy/operations/metrics.md")).toContain(`\`${name}\``);
  expect(textOf("deploy/alerts/certificates.rules.yaml")).toMatch(new RegExp(`expr: .*\\b${name}\\b`));
});
