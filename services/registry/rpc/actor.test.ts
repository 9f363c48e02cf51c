import { createContextValues, createHandlerContext } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { actorOf, authenticatedActor } from "./actor.ts";

function nameOf(header: string | undefined, authenticated?: string): string {
  return actorOf(
    createHandlerContext({
      service: LifecycleService,
      method: LifecycleService.method.revokeCertificate,
      protocolName: "grpc",
      requestMethod: "POST",
      url: "http://registry.test",
      ...(header === undefined ? {} : { requestHeader: { "x-actor": header } }),
      contextValues: createContextValues().set(authenticatedActor, authenticated),
    }),
  );
}

test.each<[string, header: string | undefined, authenticated: string | undefined, name: string]>([
  ["who is authenticated", undefined, "ada", "ada"],
  ["who is authenticated, whatever the header says", "mallory", "ada", "ada"],
  ["who names itself", "certctl/ada", undefined, "certctl/ada"],
  ["nobody", undefined, undefined, "unknown"],
  ["an empty name", "", undefined, "unknown"],
  ["a name of control characters alone", "\t\u0085", undefined, "unknown"],
  ["a name with control characters", "a\tb", undefined, "ab"],
  ["a name of 100 characters", "x".repeat(100), undefined, "x".repeat(100)],
  ["a longer name", "x".repeat(101), undefined, "x".repeat(100)],
])("the actor is: %s", (_case, header, authenticated, name) => {
  expect(nameOf(header, authenticated)).toBe(name);
});
