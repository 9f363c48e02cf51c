import { writeFile } from "node:fs/promises";
import path from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { ConfigError } from "#shared/config/config-error.ts";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { readAuthorities } from "./read-authorities.ts";

const folder = await openTemporaryFolder("authorities", afterAll);
const { caPem, keyPem } = await makeServerCertificate();
const [first = "", second = ""] = [caPem, ...rootCertificates].map((pem) => pem.trim());
const read = async (content: string) => {
  const file = path.join(folder, "ca.pem");
  await writeFile(file, content);
  return readAuthorities("CA_FILE", file);
};

test.each([
  ["one certificate", `${first}\n`, [first]],
  ["a certificate without a final line break", first, [first]],
  ["two certificates and CRLF line breaks", `${first}\n${second}\n`.replaceAll("\n", "\r\n"), [first, second]],
  ["two certificates and comments", `# ours\n${first}\n\nSubject: theirs\n${second}\n`, [first, second]],
])("reads a file with %s", async (_name, content, certificates) => {
  const found = (await read(content)).replaceAll("\r", "");
  expect(found.split(/(?<=END CERTIFICATE-----)\n*/)).toEqual(certificates);
});

const withoutEnd = first.replace(/\n-----END CERTIFICATE-----/, "");
const shortened = first.replace(/[^\n]+\n-----END/, "-----END");

test.each([
  ["no content", "", "contains no PEM certificate"],
  ["text that is not PEM", "no certificate", "contains no PEM certificate"],
  [
    "an invalid certificate among valid ones",
    `${second}\n${shortened}\n${second}\n`,
    "invalid certificate, number 2 of 3",
  ],
  ["two certificates on one line", `${second}\n${first}${second}\n`, "not complete certificates: 2 of 3"],
  ["an unterminated certificate", `${withoutEnd}\n${second}\n`, "not complete certificates: 1 of 2"],
  ["a private key", `${first}\n${keyPem}\n`, "not complete certificates: 1 of 2"],
])("rejects a file with %s, naming the variable", async (_name, content, reason) => {
  await expect(read(content)).rejects.toThrow(ConfigError);
  await expect(read(content)).rejects.toThrow(/^CA_FILE: \S+ca\.pem /);
  await expect(read(content)).rejects.toThrow(reason);
});

test("rejects a missing file", () => {
  const missing = path.join(folder, "missing.pem");
  const problem = `CA_FILE: ${missing} cannot be read (ENOENT)`;
  expect(() => readAuthorities("CA_FILE", missing)).toThrow(new ConfigError(problem));
});
