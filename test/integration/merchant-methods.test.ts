import { afterAll, describe, expect, test } from "vitest";
import { methodName } from "#shared/rpc/method-name.ts";
import { storeHeader } from "#shared/rpc/scope-metadata.ts";
import { issueGrpcCertificates } from "../../deploy/local/stack/grpc-certificates.ts";
import { accessOf } from "../../services/registry/rpc/method-access.ts";
import { registryServices } from "../../services/registry/rpc/registry-services.ts";
import { CertificateAuthority } from "../../services/shared/tls/certificate-authority.ts";
import { callMethod } from "../harness/call-method.ts";
import { channelSecurity } from "../harness/channel-security.ts";
import { expectAllChangeNothing } from "../harness/expect-nothing-changed.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openSettingsSession } from "../harness/settings-session.ts";
import { createTestStore } from "../harness/test-stores.ts";

const folder = await openTemporaryFolder("merchant-methods", afterAll);
const files = await issueGrpcCertificates(folder, await CertificateAuthority.create());
const registry = await openTestRegistry({ grpc: files });
const storeId = await createTestStore(registry);
const otherId = await createTestStore(registry);
const session = await openSettingsSession(registry, storeId);

const methods = registryServices.flatMap((service) => service.methods);
const rows = (isForMerchants: boolean) =>
  methods
    .filter((method) => accessOf(method).callers.includes("merchant") === isForMerchants)
    .map((method) => [methodName(method)] as const);
const call = (method: string, metadata: Readonly<Record<string, string>>) =>
  callMethod(registry.address, method, channelSecurity(files.edge), metadata);

describe("without a change, a call is refused", () => {
  expectAllChangeNothing(registry.database);

  test.each(rows(false))("in a merchant's session: %s", async (method) => {
    expect(await call(method, session)).toBe("PERMISSION_DENIED");
  });

  test.each(rows(true))("without a session, and with a store that the edge names: %s", async (method) => {
    expect(await call(method, {})).toBe("UNAUTHENTICATED");
    expect(await call(method, { "x-session": "cst_unknown" })).toBe("UNAUTHENTICATED");
    for (const store of [storeId, otherId])
      for (const own of [{}, session])
        expect(await call(method, { ...own, [storeHeader]: store })).toBe("PERMISSION_DENIED");
  });
});

test.each(rows(true))("%s can be called in a merchant's session", async (method) => {
  expect(await call(method, session)).not.toMatch(/PERMISSION_DENIED|UNAUTHENTICATED/);
});

test.each(rows(false))("%s is refused to an edge that names a store", async (method) => {
  expect(await call(method, { [storeHeader]: storeId })).toBe("PERMISSION_DENIED");
});
