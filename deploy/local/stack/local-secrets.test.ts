import { readFile, rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { ensureSecrets } from "./local-secrets.ts";

test.for(["caFile", "cert", "key"] as const)(
  "replaces the receiver's certificate if one of its files (%s) is missing, but keeps the cursor key",
  async (missing, { onTestFinished }) => {
    const folder = await openTemporaryFolder("local-secrets", onTestFinished);
    const secrets = await ensureSecrets(folder);
    const files = { caFile: secrets.caFile, cert: secrets.receiver.cert, key: secrets.receiver.key };
    const before = await readFile(secrets.cursorKeyFile);
    const ca = await readFile(files.caFile, "utf8");
    await rm(files[missing]);
    await ensureSecrets(folder);
    for (const file of Object.values(files)) expect(await readFile(file, "utf8")).toMatch(/^-----BEGIN /);
    expect(await readFile(files.caFile, "utf8")).not.toBe(ca);
    expect(await readFile(secrets.cursorKeyFile)).toEqual(before);
  },
);
