import { expect, test } from "vitest";
import { permittedCallers } from "../../services/registry/rpc/permitted-callers.ts";
import { expectedCallers } from "../../services/registry/rpc/permitted-callers-fixture.ts";
import { tableRows } from "./repository.ts";

test("deploy/operations/tls.md lists each gRPC service of the registry with exactly the callers that are permitted", () => {
  const services = new Set(expectedCallers.map(([method]) => method.split("/")[0] ?? ""));
  const listed = tableRows("deploy/operations/tls.md", "gRPC service").map(([service, callers]) => [service, callers]);
  const permitted = [...services].map((service) => [service, permittedCallers(service).join(", ")]);
  expect(listed.toSorted()).toEqual(permitted.toSorted());
});
