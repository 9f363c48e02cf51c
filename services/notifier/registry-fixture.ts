import { setTimeout as delay } from "node:timers/promises";
import { Server } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import {
  ClaimDecision,
  type DeliveryOutcome,
  NotifierService,
  WebhookFormat,
} from "#gen/registry/v1/notifier_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { mountService } from "#shared/rpc/grpc-server.ts";
import { closeGrpc, listenGrpc } from "#shared/rpc/listen.ts";

/** A registry for tests: keeps claims and outcomes in memory as the real one does in its database. */
export interface RegistryFixture {
  readonly port: number;
  /** Where each store's messages go; a store without one is skipped. */
  readonly webhooks: Map<string, string>;
  /** The notifier that claimed each event. */
  readonly claims: Map<string, string>;
  readonly outcomes: Map<string, DeliveryOutcome>;
  /** So many of the next calls of each kind fail, claims after they were stored. */
  readonly failures: { claims: number; lateClaims: number; outcomes: number };
  /** How long a claim takes. */
  readonly pace: { claimMs: number };
  stop(): Promise<void>;
}

/** The secret that the fixture signs with. */
export const fixtureSecret = "whsec_fixture";

/** Starts it. @param port 0 takes a free one */
export async function startRegistryFixture(port = 0): Promise<RegistryFixture> {
  const webhooks = new Map<string, string>();
  const claims = new Map<string, string>();
  const outcomes = new Map<string, DeliveryOutcome>();
  const failures = { claims: 0, lateClaims: 0, outcomes: 0 };
  const pace = { claimMs: 0 };
  const server = new Server();
  const unavailable = () => new ServiceError("unavailable", "The database is away.");
  const decide = (eventId: string, storeId: string, notifierId: string) => {
    if (outcomes.has(eventId)) return { eventId, decision: ClaimDecision.SETTLED };
    if (claims.has(eventId)) return { eventId, decision: ClaimDecision.IN_FLIGHT };
    claims.set(eventId, notifierId);
    const url = webhooks.get(storeId);
    if (url === undefined) return { eventId, decision: ClaimDecision.SKIPPED };
    const secret = new TextEncoder().encode(fixtureSecret);
    return { eventId, decision: ClaimDecision.SEND, target: { url, format: WebhookFormat.V2, secret } };
  };
  const implementation = {
    claimDeliveries: async (request: {
      notifierId: string;
      claims: { eventId: string; storeId: string }[];
    }) => {
      await delay(pace.claimMs);
      if (failures.claims-- > 0) throw unavailable();
      const results = request.claims.map(({ eventId, storeId }) =>
        decide(eventId, storeId, request.notifierId),
      );
      if (failures.lateClaims-- > 0) throw unavailable();
      return { results };
    },
    recordOutcomes: (request: { outcomes: DeliveryOutcome[] }) => {
      if (failures.outcomes-- > 0) throw unavailable();
      for (const outcome of request.outcomes) {
        if (!outcomes.has(outcome.eventId)) outcomes.set(outcome.eventId, outcome);
      }
      return {};
    },
  };
  mountService(server, NotifierService, implementation, () => undefined);
  new HealthImplementation({ "": "SERVING" }).addToServer(server);
  const bound = await listenGrpc(server, `127.0.0.1:${port}`);
  return { port: bound, webhooks, claims, outcomes, failures, pace, stop: () => closeGrpc(server, 0) };
}
