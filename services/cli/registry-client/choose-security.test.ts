import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chooseSecurity } from "./choose-security.ts";
import { localFactsName } from "./local-facts.ts";

async function checkoutWith(facts: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "choose-security-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, localFactsName);
  await mkdir(path.dirname(file));
  await writeFile(file, facts);
  return folder;
}

test("reports that no TLS files are set for the named registry, even if demo.json is unusable", async () => {
  const folder = await checkoutWith("{");
  const settings = { plaintext: false, certDomain: "certificate-registry.internal" };
  expect(() => chooseSecurity(settings, "registry.example:9090", folder)).toThrow(
    /^No TLS files are set for the registry at registry\.example:9090\./,
  );
});
