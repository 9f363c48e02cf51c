import { expect, test } from "vitest";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { issueOne } from "../harness/issue-items.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createKeyedStore } from "../harness/test-stores.ts";
import { launchNotifier, soon } from "./notifier-rig.ts";

test("services that listen on :: are reached over IPv6, by their clients and by each other", async (context) => {
  const { onTestFinished: onEnd } = context;
  const { url: natsUrl } = await startTestNats(onEnd);
  const registry = await openTestRegistry({ natsUrl, env: { REGISTRY_HOST: "::" } }, onEnd);
  const address = registry.address.replace("127.0.0.1", "[::1]");
  const edge = await openTestEdge({ host: "::", registryAddress: address }, { onEnd });
  const { apiKey, storeId } = await createKeyedStore(registry);
  const id = await issueOne(registry, storeId);

  const list = await fetch(`http://[::1]:${edge.port}/v1/certificates`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(await list.json()).toMatchObject({ certificates: [{ id }] });
  await soon(() => expect(edge.log).toContainEqual(expect.objectContaining({ msg: "request", client: "::1" })));

  const notifier = await launchNotifier({ context, natsUrl, address }, { NOTIFIER_HOST: "::" });
  await notifier.reports("ok");
  for (const port of [new URL(registry.operationsUrl).port, edge.operationsPort, notifier.operationsPort])
    expect((await fetch(`http://[::1]:${port}/readyz`)).status).toBe(200);
});
