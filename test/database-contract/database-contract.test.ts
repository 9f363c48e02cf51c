import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { systemClock } from "#shared/time/clock.ts";
import { resultOf } from "../../services/registry/diagnostics/check.ts";
import { contractChecks } from "../checks/database/contract-checks.ts";
import { databaseOptions } from "../checks/database/options.ts";
import { openRig } from "../checks/database/rig.ts";
import { localServer, startOwnDatabase } from "../harness/own-database.ts";
import { listen } from "../simulation/database/simulated-driver.ts";
import { SimulatedServer } from "../simulation/database/simulated-server.ts";
import { databaseServers } from "./servers.ts";

const options = z.object(databaseOptions).parse({});

// The server that the other tests use may be external, or run in a container.
const shared = { kind: "the server of the other tests", missing: undefined };
const simulated = { kind: "the simulated server", missing: undefined };
const kinds = [shared, simulated, ...(await databaseServers())];

describe.each(kinds)("$kind", ({ kind, missing }) => {
  if (missing !== undefined) return test("is not available", (context) => context.skip(missing));
  const opened = new AsyncDisposableStack();
  let rig: Awaited<ReturnType<typeof openRig>>;
  beforeAll(async () => {
    const url = await urlOf(kind, opened);
    rig = opened.use(await openRig(url, options, new AbortController().signal, () => undefined));
  });
  afterAll(() => opened.disposeAsync());

  test.each(contractChecks)("$name", async (check) => {
    expect(await resultOf(check, rig)).toMatchObject({ result: "passed" });
  });
});

async function urlOf(kind: string, opened: AsyncDisposableStack): Promise<string> {
  if (kind === shared.kind) return inject("databaseServerUrl");
  if (kind !== simulated.kind) return opened.use(await startOwnDatabase({ env: localServer(kind) })).url;
  const server = new SimulatedServer({ clock: systemClock });
  return opened.use(listen((command) => server.run(command), "registry")).uri;
}
