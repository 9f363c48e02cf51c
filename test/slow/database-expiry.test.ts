import { expect, inject, test } from "vitest";
import { z } from "zod";
import { resultOf } from "../../services/registry/diagnostics/check.ts";
import { expiryChecks } from "../checks/database/expiry-checks.ts";
import { indexChecks } from "../checks/database/index-checks.ts";
import { databaseOptions } from "../checks/database/options.ts";
import { openRig } from "../checks/database/rig.ts";
import { databaseServers, startServer } from "../database-contract/servers.ts";

const options = z.object(databaseOptions).parse({});
const kinds = [{ kind: "the server of the other tests", missing: undefined }, ...(await databaseServers())];

// Each server deletes expired documents about once a minute.
for (const { kind, missing } of kinds)
  test.concurrent(`${kind} deletes expired documents, and no others`, { timeout: 240_000 }, async ({
    skip,
    signal,
  }) => {
    if (missing !== undefined) return skip(missing);
    await using opened = new AsyncDisposableStack();
    const isShared = kind === kinds[0]?.kind;
    const url = isShared ? inject("databaseServerUrl") : opened.use(await startServer(kind)).url;
    const rig = opened.use(await openRig(url, options, signal, () => undefined));
    for (const check of [...indexChecks, ...expiryChecks])
      expect(await resultOf(check, rig), check.name).toMatchObject({ result: "passed" });
  });
