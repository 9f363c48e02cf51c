import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IssueOutcome, IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { clientsOver } from "../../harness/stack/registry-clients.ts";
import { Workload } from "./workload.ts";

test("ends after one writer fails, once the other writers' calls have completed", async () => {
  const second = Promise.withResolvers<void>();
  let calls = 0;
  const issueCertificates = async () => {
    if (++calls === 1) {
      await second.promise;
      throw new ConnectError("broken", Code.InvalidArgument);
    }
    second.resolve();
    await sleep(100);
    return { results: [{ outcome: IssueOutcome.ISSUED, certificateId: "c1" }] };
  };
  const registry = clientsOver(createRouterTransport(({ service }) => service(IssuingService, { issueCertificates })));
  const { signal } = new AbortController();
  const workload = new Workload({ seed: 1, writers: 2, registries: [registry], signal, log: () => undefined });
  const reason = await workload.run({
    stores: [{ id: "s1", certificateIds: [], states: new Map(), orders: 0, delayed: 0 }],
    isEnough: () => false,
    progress: () => "",
  });
  expect(reason).toMatch(/^writer-[12] could not (issue|import): .*broken/);
  expect(workload.changes()).toBe(1);
});
