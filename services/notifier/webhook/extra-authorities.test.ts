import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { ConfigError } from "#shared/config/config-error.ts";
import { makeServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import { readAuthorities } from "./extra-authorities.ts";

const folder = await mkdtemp(path.join(tmpdir(), "authorities-"));
afterAll(() => rm(folder, { recursive: true }));
const { caPem, keyPem } = await makeServerCertificate();
const [first = "", second = ""] = [caPem, ...rootCertificates].map((pem) => pem.trim());
const read = async (content: string) => {
  const file = path.join(folder, "ca.pem");
  await writeFile(file, content);
  return readAuthorities("CA_FILE", file);
};

test.each([
  ["one", `${first}\n`, [first]],
  ["one without a line break at the end", first, [first]],
  ["two, with the lines of Windows", `${first}\n${second}\n`.replaceAll("\n", "\r\n"), [first, second]],
  ["two with words about them", `# ours\n${first}\n\nSubject: theirs\n${second}\n`, [first, second]],
])("a file of certificates is read whole: %s", async (_what, content, certificates) => {
  const found = (await read(content)).replaceAll("\r", "");
  expect(found.split(/(?<=END CERTIFICATE-----)\n*/)).toEqual(certificates);
});

const withoutItsEnd = first.replace(/\n-----END CERTIFICATE-----/, "");
const shortened = first.replace(/[^\n]+\n-----END/, "-----END");

test.each([
  ["nothing", "", "holds no PEM certificate"],
  ["no PEM", "no certificate", "holds no PEM certificate"],
  [
    "a damaged one among good ones",
    `${second}\n${shortened}\n${second}\n`,
    "damaged certificate, number 2 of 3",
  ],
  ["two on one line", `${second}\n${first}${second}\n`, "has 3 PEM blocks, but 1 whole"],
  ["one that does not end", `${withoutItsEnd}\n${second}\n`, "has 2 PEM blocks, but 1 whole"],
  ["a key beside it", `${first}\n${keyPem}\n`, "has 2 PEM blocks, but 1 whole"],
])("a file that holds %s is refused, with the variable and the reason", async (_what, content, reason) => {
  await expect(read(content)).rejects.toThrow(ConfigError);
  await expect(read(content)).rejects.toThrow(/^CA_FILE: \S+ca\.pem /);
  await expect(read(content)).rejects.toThrow(reason);
});

test("a file that is not there is refused", () => {
  const missing = path.join(folder, "missing.pem");
  const problem = `CA_FILE: ${missing} cannot be read (ENOENT)`;
  expect(() => readAuthorities("CA_FILE", missing)).toThrow(new ConfigError(problem));
});
