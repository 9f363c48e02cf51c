import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ConnectorService,
  PaymentState as Payment,
  type ReceiveMessageRequest,
  type Refund as RefundMessage,
  type StorefrontOrder,
} from "#gen/registry/v1/connector_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { receivedReason } from "#shared/rpc/reason-messages.ts";
import type { Clock } from "#shared/time/clock.ts";
import type {
  CustomerReference,
  MessageContent,
  OrderSnapshot,
  Refund,
  StorefrontMessage,
} from "../storefront/message.ts";
import { type ReceiveMessageDeps, receiveMessage } from "../storefront/receive-message.ts";
import { permittedTime } from "../values/platform-lead.ts";
import { enumNames } from "./enum-names.ts";
import { type OfferedService, offer } from "./offered-service.ts";

const imageUrlLengthMax = 2_048;

/** Implements ConnectorService: translates between its messages and the domain. */
export function connectorService(deps: ReceiveMessageDeps & { readonly clock: Clock }): OfferedService {
  return offer(ConnectorService, {
    async receiveMessage(request) {
      const message = storefrontMessageOf(request, new Date(deps.clock.now()));
      const received = await receiveMessage(deps, request.shop, message);
      return {
        isDuplicate: received === "duplicate",
        isDropped: received === "dropped",
        hasNoStore: received === "no store",
      };
    },
  });
}

const paymentNames = enumNames(Payment);

/**
 * Converts a gRPC request to the platform's message.
 *
 * @param now arrival time, used if the request does not contain the time at which the platform created the message, or
 *   contains a later time
 * @throws ServiceError `bad_request` naming the field
 */
function storefrontMessageOf(request: ReceiveMessageRequest, now: Date): StorefrontMessage {
  const { messageId: id, topic, triggeredAt } = request;
  if (!/^[!-~]{1,128}$/.test(id)) throw badRequest("message_id", "must be 1 to 128 visible ASCII characters");
  const reported = triggeredAt === undefined ? now : timestampDate(triggeredAt);
  // The platform does not sign this time. In the future, it would outrank the later messages.
  const triggeredAtMs = permittedTime(reported, now.getTime()).getTime();
  return { id, topic: topic.slice(0, 100), triggeredAtMs, content: contentOf(request.content) };
}

function contentOf({ case: kind, value }: ReceiveMessageRequest["content"]): MessageContent {
  switch (kind) {
    case "order":
      return { kind: "order", order: orderOf(value) };
    case "refund":
      return { kind: "refund", orderId: digits("refund.order_id", value.orderId), refund: refundOf(value.refund) };
    case "product": {
      const { id, tags, updatedAt, imageUrl } = value;
      if (!isImageUrl(imageUrl)) throw badRequest("product.image_url", "must be an https:// URL or empty");
      return { kind: "product", product: { id, tags, updatedAtMs: msOf("product.updated_at", updatedAt), imageUrl } };
    }
    case "appInstalled":
      return { kind: "app_installed" };
    case "appUninstalled":
      return { kind: "app_uninstalled" };
    case "customerDataRequest":
      return { kind: "customer_data_request", ...customerOf(value) };
    case "customerErasure":
      return { kind: "customer_erasure", ...customerOf(value) };
    case "shopErasure":
      return { kind: "shop_erasure" };
    case "unreadable":
      return {
        kind: "unreadable",
        problem: receivedReason(value.problem) ?? reason("message_malformed", { fault: "unknown" }),
      };
    case undefined:
      throw badRequest("content", "is missing");
  }
}

function isImageUrl(url: string): boolean {
  return url === "" || (url.length <= imageUrlLengthMax && URL.parse(url)?.protocol === "https:");
}

function customerOf({ email, orderIds, customerId }: CustomerReference): CustomerReference {
  return { email, orderIds, customerId };
}

function orderOf(order: StorefrontOrder): OrderSnapshot {
  const { id, name, isCancelled, isTest, buyerName, buyerEmail, customerId, lines, refunds } = order;
  return {
    id: digits("order.id", id),
    name,
    isCancelled,
    isTest,
    createdAtMs: msOf("order.created_at", order.createdAt),
    updatedAtMs: msOf("order.updated_at", order.updatedAt),
    payment: paymentNames.nameOf(order.payment, "order.payment"),
    buyer: { name: buyerName, email: buyerEmail, customerId },
    lines: lines.map(({ $typeName: _, $unknown: _unknown, currentQuantity, ...line }) => ({
      ...line,
      currentQuantity: currentQuantity ?? null,
    })),
    refunds: refunds.map(refundOf),
  };
}

function refundOf(refund: RefundMessage | undefined): Refund {
  if (refund === undefined) throw badRequest("refund", "is missing");
  return { id: refund.id, units: refund.units.map(({ lineId, quantity }) => ({ lineId, quantity })) };
}

function digits(field: string, text: string): string {
  if (/^\d{1,20}$/.test(text)) return text;
  throw badRequest(field, "must be 1 to 20 digits");
}

function msOf(field: string, time: Parameters<typeof timestampMs>[0] | undefined): number {
  if (time === undefined) throw badRequest(field, "is missing");
  return timestampMs(time);
}
