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
  ["the authenticated caller", undefined, "ada", "ada"],
  ["the authenticated caller, not the header", "mallory", "ada", "ada"],
  ["the header if the caller is not authenticated", "certctl/ada", undefined, "certctl/ada"],
  ["unknown without a header", undefined, undefined, "unknown"],
  ["unknown for an empty header", "", undefined, "unknown"],
  ["unknown for a header of control characters", "\t\u0085", undefined, "unknown"],
  ["the header without its control characters", "a\tb", undefined, "ab"],
  ["a name of 100 characters", "x".repeat(100), undefined, "x".repeat(100)],
  ["the first 100 characters of a longer name", "x".repeat(101), undefined, "x".repeat(100)],
])("the actor is %s", (_case, header, authenticated, name) => {
  expect(nameOf(header, authenticated)).toBe(name);
});
