import { isTestMessage, type WebhookMessage } from "../webhooks/webhook-message.ts";
import type { CertificateStore } from "./certificate-store.ts";

/**
 * Saves the certificate of a verified webhook message, unless the copy already contains this version or a newer one.
 * The next call to `sync` reads changes whose messages were lost.
 *
 * @returns false for a message without a certificate to save: a test message, or one in format v1
 */
export async function saveMessage(store: Pick<CertificateStore, "save">, message: WebhookMessage): Promise<boolean> {
  if (message.version !== 2 || isTestMessage(message)) return false;
  await store.save([message.certificate]);
  return true;
}
