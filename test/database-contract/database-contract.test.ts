import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { resultOf } from "../../services/registry/diagnostics/check.ts";
import { contractChecks } from "../checks/database/contract-checks.ts";
import { databaseOptions } from "../checks/database/options.ts";
import { openRig } from "../checks/database/rig.ts";
import { databaseServers, startServer } from "./servers.ts";

const options = z.object(databaseOptions).parse({});

// The server that the other tests use may be external, or run in a container.
const kinds = [{ kind: "the server of the other tests", missing: undefined }, ...(await databaseServers())];

describe.each(kinds)("$kind", ({ kind, missing }) => {
  if (missing !== undefined) return test("is not available", (context) => context.skip(missing));
  const opened = new AsyncDisposableStack();
  let rig: Awaited<ReturnType<typeof openRig>>;
  beforeAll(async () => {
    const isShared = kind === kinds[0]?.kind;
    const url = isShared ? inject("databaseServerUrl") : opened.use(await startServer(kind)).url;
    rig = opened.use(await openRig(url, options, new AbortController().signal, () => undefined));
  });
  afterAll(() => opened.disposeAsync());

  test.each(contractChecks)("$name", async (check) => {
    expect(await resultOf(check, rig)).toMatchObject({ result: "passed" });
  });
});
