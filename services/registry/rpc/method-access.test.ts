import { create, createFileRegistry, type DescService, setExtension } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, type MethodOptions, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { AccessSchema, access, Peer, Scope } from "#gen/registry/v1/access_pb.js";
import { methodName } from "#shared/rpc/method-name.ts";
import { accessOf, permittedCallers } from "./method-access.ts";
import { registryServices } from "./registry-services.ts";

const methods = registryServices.flatMap((service) => service.methods);

/** Returns a service with one method. */
function serviceWith(options?: MethodOptions): DescService {
  const file = create(FileDescriptorProtoSchema, {
    name: "test/v1/new_service.proto",
    package: "test.v1",
    syntax: "proto3",
    messageType: [{ name: "Empty" }],
    service: [
      {
        name: "NewService",
        method: [
          { name: "Do", inputType: ".test.v1.Empty", outputType: ".test.v1.Empty", ...(options && { options }) },
        ],
      },
    ],
  });
  const service = createFileRegistry(file, () => undefined).getService("test.v1.NewService");
  if (service === undefined) throw new Error("the descriptor has no service");
  return service;
}

/** Returns what the name of a method for merchants says that it does. */
function workByName(name: string) {
  if (/^(Count|Get|List|Preview)/.test(name)) return "read";
  return name.startsWith("Find") ? "search" : "change";
}

describe("a method's access", () => {
  test("must be stated in its contract, or the registry does not start", () => {
    expect(() => permittedCallers([...registryServices, serviceWith()])).toThrow(
      'The contract of test.v1.NewService/Do does not state its callers and scope (option "access").',
    );
  });

  test("with an unknown caller is refused with the method's name", () => {
    const options = create(MethodOptionsSchema);
    setExtension(options, access, create(AccessSchema, { callers: [Peer.UNSPECIFIED], scope: Scope.ONE_STORE }));
    expect(() => permittedCallers([serviceWith(options)])).toThrow("callers of test.v1.NewService/Do");
  });

  test.each(methods.map((method) => [methodName(method), method] as const))("of %s is stated", (name, method) => {
    const { callers, right, work } = accessOf(method);
    // The edge calls methods for merchants.
    const peers = [...new Set(callers.map((caller) => (caller === "merchant" ? "edge" : caller)))];
    expect(permittedCallers(registryServices)(name)).toEqual(peers);
    expect(right === null).toBe(!callers.includes("operator"));
    // A change among the reads could take all their places while it waits for the locks of a killed replica.
    if (work !== null) expect(work).toBe(workByName(method.name));
  });

  test("permits health checks to every service and reflection to operators", () => {
    const callers = permittedCallers(registryServices);
    expect(callers("grpc.health.v1.Health/Check")).toEqual(["edge", "notifier", "operator"]);
    for (const version of ["v1", "v1alpha"])
      expect(callers(`grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`)).toEqual(["operator"]);
  });
});

test.each([
  "registry.v1.NewService/Do",
  "registry.v1.EdgeService/New",
  "grpc.health.v1.Health/New",
  "",
  "constructor/x",
])("no peer may call the unknown method %j", (method) => {
  expect(permittedCallers(registryServices)(method)).toEqual([]);
});
