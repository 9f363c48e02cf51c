import { service as healthService } from "grpc-health-check";
import { expect, test } from "vitest";
import { permittedCallers } from "./permitted-callers.ts";
import { expectedCallers } from "./permitted-callers-fixture.ts";
import { registryServices } from "./registry-services.ts";

// @grpc/reflection does not export its methods.
const reflectionMethods = ["v1", "v1alpha"].map(
  (version) => `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);

test("the table of expected callers lists exactly the methods that the gRPC port serves", () => {
  const own = registryServices.flatMap(({ typeName, methods }) => methods.map(({ name }) => `${typeName}/${name}`));
  const health = Object.values(healthService).map(({ path }) => path.slice(1));
  const inTable = expectedCallers.map(([method]) => method);
  expect(inTable.toSorted()).toEqual([...own, ...health, ...reflectionMethods].toSorted());
});

test.each(expectedCallers)("%s may be called only by %j", (method, permitted) => {
  expect(permittedCallers(method.split("/")[0] ?? "")).toEqual(permitted);
});

test.each(["registry.v1.NewService", "", "constructor"])("no peer may call the unknown service %j", (service) => {
  expect(permittedCallers(service)).toEqual([]);
});
