import { expect, test } from "vitest";
import { demoFacts as facts } from "./demo-facts-fixture.ts";
import { startupSummary } from "./startup-summary.ts";

const verifyUrl = "http://127.0.0.1:8080/verify/token?lang=en";
const settingsLink = "http://127.0.0.1:8080/settings/sign-in/secret";
const lines = startupSummary(facts, verifyUrl, settingsLink).split("\n");

test("prints a verification link", () => {
  expect(lines).toContain("  http://127.0.0.1:8080/verify/token?lang=en");
});

test("ends with a link to the demo shop", () => {
  expect(lines.filter((line) => line !== "").at(-1)).toBe("  http://127.0.0.1:8088/");
});

test("prints a link to the settings", () => {
  expect(lines).toContain(`  ${settingsLink}`);
});

test("fits a screen of 30 lines with 100 columns, from a checkout in a home folder", () => {
  const data = "/home/ada/certificate-registry/.data";
  const file = (name: string) => `${data}/secrets/grpc-${name}.pem`;
  const real = {
    ...facts,
    api_key: `crk_${"0".repeat(38)}`,
    operator_tls: { cert_file: file("operator-cert"), key_file: file("operator-key"), ca_file: file("ca") },
    log_folder: `${data}/logs`,
  };
  const page = `http://127.0.0.1:8080/verify/${"0".repeat(26)}?lang=en`;
  const link = `http://127.0.0.1:8080/settings/sign-in/csl_${"0".repeat(43)}`;
  const printed = startupSummary(real, page, link).split("\n");
  expect(printed.length).toBeLessThanOrEqual(30);
  expect(printed.filter((line) => line.length > 100)).toEqual([]);
});

test("prints the operations ports and the log folder", () => {
  expect(lines).toContain(
    "  operations  registry :40001, edge :40002, notifier :40003 (/metrics, /readyz on 127.0.0.1)",
  );
  expect(lines).toContain("  logs        /data/logs");
});

test("prints the address of the guide, and the variables that its snippets and the curl command use", () => {
  expect(lines).toContain("  http://127.0.0.1:8080/docs");
  const at = lines.indexOf("  export REGISTRY_URL=http://127.0.0.1:8080");
  expect(lines[at + 1]).toBe("  export REGISTRY_API_KEY=crk_1");
  expect(lines[at + 2]).toMatch(/Bearer \$REGISTRY_API_KEY" "\$REGISTRY_URL\/v1\/certificates\?limit=2"$/);
});

test("prints the variables that let certctl call this stack from any folder", () => {
  expect(lines).toContain("  export CERTCTL_REGISTRY=127.0.0.1:9191 CERTCTL_STORE=demo.example");
  expect(lines).toContain("  export CERTCTL_CERT_FILE=/data/cert.pem");
  expect(lines).toContain("  export CERTCTL_KEY_FILE=/data/key.pem");
  expect(lines).toContain("  export CERTCTL_CA_FILE=/data/ca.pem");
});
