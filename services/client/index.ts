/**
 * The client library of the certificate registry. It runs on Node 20 or newer, Deno, Bun and edge runtimes, and has no
 * dependencies.
 */
export {
  type Certificate,
  type CertificateStatus,
  type Person,
  statusAt,
} from "./certificate.ts";
export type { CertificateFilter, PageQuery } from "./certificate-filter.ts";
export { ApiError, ConnectionError, type ErrorCode, RegistryError } from "./errors.ts";
export { type CertificatePage, RegistryClient, type RegistryClientOptions } from "./registry-client.ts";
export { PostgresStore } from "./stores/postgres-store.ts";
export { SqliteStore } from "./stores/sqlite-store.ts";
export {
  type CertificateStore,
  replaces,
  requireLatestRound,
  type StoredVersion,
  type SyncPosition,
} from "./sync/certificate-store.ts";
export { MemoryStore } from "./sync/memory-store.ts";
export { saveMessage } from "./sync/save-message.ts";
export { type SyncOptions, type SyncResult, sync } from "./sync/sync.ts";
export type { Clock } from "./transport/clock.ts";
export { fastifyPlugin } from "./webhooks/fastify-plugin.ts";
export { fetchHandler } from "./webhooks/fetch-handler.ts";
export { koaHandler } from "./webhooks/koa-handler.ts";
export { nodeHandler } from "./webhooks/node-handler.ts";
export type { WebhookOptions } from "./webhooks/receive-message.ts";
export { type RequestHeaders, verifyWebhook } from "./webhooks/verify-webhook.ts";
export {
  type EventName,
  type FullMessage,
  isTestMessage,
  type ShortMessage,
  type WebhookMessage,
} from "./webhooks/webhook-message.ts";
