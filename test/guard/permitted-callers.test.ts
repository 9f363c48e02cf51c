import { expect, test } from "vitest";
import { accessTable } from "../../deploy/contracts/access-table.ts";
import { accessOf } from "../../services/registry/rpc/method-access.ts";
import { registryServices } from "../../services/registry/rpc/registry-services.ts";
import { tableRows, textOf } from "./repository.ts";

test("deploy/operations/tls.md lists each gRPC service of the registry with exactly the callers that are permitted", () => {
  const listed = tableRows("deploy/operations/tls.md", "gRPC service").map(([service, callers]) => [service, callers]);
  const permitted = registryServices.map(({ typeName, methods }) => [
    typeName,
    [...new Set(methods.flatMap((method) => accessOf(method).callers))].join(", "),
  ]);
  const ofLibraries = [
    ["grpc.health.v1.Health", "edge, notifier, operator"],
    ["grpc.reflection.v1.ServerReflection", "operator"],
    ["grpc.reflection.v1alpha.ServerReflection", "operator"],
  ];
  expect(listed.toSorted()).toEqual([...permitted, ...ofLibraries].toSorted());
});

test("the table of permitted callers in ARCHITECTURE is what the contracts state: run npm run generate", () => {
  expect(textOf("services/ARCHITECTURE.md")).toContain(accessTable());
});
