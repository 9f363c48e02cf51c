import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeServerCertificate } from "../../deploy/local/certificates/self-signed.ts";
import { SetupError } from "../../deploy/local/servers/setup-error.ts";
import { combineAuthorities } from "../../deploy/local/stack/trusted-authorities.ts";
import { readAuthorities } from "../../services/shared/tls/read-authorities.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";

const folder = await openTemporaryFolder("trusted", afterAll);
const fileWith = async (name: string, content: string) => {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
};
const { caPem: demoPem } = await makeServerCertificate();
const { caPem: ownPem } = await makeServerCertificate();
const demo = await fileWith("demo.pem", demoPem.trim());

test("combines the CA certificates of the demo receiver and the user in a new file, even if neither file ends with a newline", async () => {
  const file = await combineAuthorities(demo, await fileWith("own.pem", ownPem.trim()));
  expect(readAuthorities("CA_FILE", file)).toBe(`${demoPem.trim()}\n${ownPem.trim()}`);
  expect(await readFile(demo, "utf8")).toBe(demoPem.trim());
});

test.each([undefined, ""])("returns the demo receiver's CA file if the user specifies no file (%j)", async (own) => {
  expect(await combineAuthorities(demo, own)).toBe(demo);
});

test("rejects with an error that names the file and the variable if the user's CA file is missing", async () => {
  const missing = path.join(folder, "missing.pem");
  await expect(combineAuthorities(demo, missing)).rejects.toThrow(
    new SetupError(
      `NOTIFIER_EXTRA_CA_FILE: ${missing} cannot be read. Correct its path or permissions, or unset the variable.`,
    ),
  );
});
