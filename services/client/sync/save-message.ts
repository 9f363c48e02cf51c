import { isTestMessage, type WebhookMessage } from "../webhooks/webhook-message.ts";
import type { CertificateStore } from "./certificate-store.ts";

/**
 * Saves the certificate of a verified webhook message, unless the copy already contains this version or a newer one, or
 * the list has been read beyond its time: what the list did not contain by then, a restore from a backup has undone.
 * The next call to `sync` reads changes whose messages were lost.
 *
 * @returns false for a message without a certificate to save: a test message, or one in format v1
 */
export async function saveMessage(
  store: Pick<CertificateStore, "loadPosition" | "save">,
  message: WebhookMessage,
): Promise<boolean> {
  if (message.version !== 2 || isTestMessage(message)) return false;
  const { watermark } = (await store.loadPosition()) ?? { watermark: null };
  if (watermark === null || message.certificate.updatedAt > watermark) await store.save([message.certificate]);
  return true;
}
