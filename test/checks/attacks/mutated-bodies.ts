import { randomBytes, randomUUID } from "node:crypto";
import sharp from "sharp";
import { DiagnosticsService } from "#gen/registry/v1/diagnostics_service_pb.js";
import { exportText, headRow, lineRow } from "#shared/orders/csv-fixture.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import { pages } from "../../../services/edge/settings/pages.ts";
import { accessOf } from "../../../services/registry/rpc/method-access.ts";
import { inStore } from "../../harness/in-store.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import { operatorServices } from "../../harness/stack/registry-clients.ts";
import { orderPayload } from "../../harness/storefront/order-payload.ts";
import type { AttackRequest, AttackTarget } from "./attack.ts";
import { exampleMessage, type FieldValues } from "./example-message.ts";
import { mutateBytes, mutateJson, mutateText } from "./mutate.ts";

/** Returns a request for every route that takes a body; each sends a mutation of a valid body. */
export async function mutatedBodies(target: AttackTarget): Promise<AttackRequest[]> {
  return [
    ...settingsForms(target),
    ...(await uploads(target)),
    ...publicForms(target),
    ...webhooks(target),
    ...operatorMethods(target),
  ];
}

const formType = "application/x-www-form-urlencoded";

function pathOf(path: string, values: FieldValues): string {
  return path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(values[name] ?? "none"));
}

function settingsForms({ merchant, values }: AttackTarget): AttackRequest[] {
  return pages.flatMap(({ path, actions = {} }) =>
    Object.keys(actions).map((action) => ({
      name: `POST /settings${path} ${action}`,
      send: (random) => {
        const mutated = Object.entries(values).map(
          ([name, value]) => [name, random.chance(0.2) ? mutateText(value, random) : value] as const,
        );
        // The token is valid: without it, nothing behind the check would see the form.
        const fields = { ...Object.fromEntries(mutated), action, token: merchant.formToken, nonce: randomUUID() };
        return merchant.post(pathOf(path, values), fields);
      },
    })),
  );
}

async function uploads({ edgeUrl, merchant, values }: AttackTarget): Promise<AttackRequest[]> {
  const orders = exportText(
    Array.from({ length: 200 }, (_, index) => [
      headRow(`#${index}`, `${7_000_000 + index}`),
      lineRow(`#${index}`),
    ]).flat(),
  );
  const picture = sharp(randomBytes(300 * 200 * 3), { raw: { width: 300, height: 200, channels: 3 } });
  const images = await Promise.all([
    picture.clone().png().toBuffer(),
    picture.clone().png({ progressive: true }).toBuffer(),
    picture.clone().jpeg({ progressive: true }).toBuffer(),
    picture.clone().webp().toBuffer(),
  ]);
  const fileOf = (action: string, random: SeededRandom): Uint8Array => {
    if (action === "setLogo" || action === "setImage")
      return mutateBytes(sizedImage(random.pick(images), random), random);
    if (random.chance(0.02)) return Buffer.from(random.pick([",", "\n", '"', "a,", "a\n"]).repeat(5_000_000));
    return mutateBytes(Buffer.from(orders), random);
  };
  return pages.flatMap(({ path, uploads: handlers = {} }) =>
    Object.keys(handlers).flatMap((action) => [
      {
        name: `POST /settings${path} ${action}`,
        send: (random: SeededRandom) => {
          const file = new File(
            [new Uint8Array(fileOf(action, random))],
            mutateText("file.csv", random).toWellFormed(),
          );
          return merchant.post(pathOf(path, values), { action, token: merchant.formToken, nonce: randomUUID() }, file);
        },
      },
      {
        name: `POST /settings${path} multipart`,
        send: (random: SeededRandom) => {
          const field = (name: string, value: string) =>
            `--limit\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
          const file = `--limit\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\nName\n\r\n--limit--\r\n`;
          const body = field("action", action) + field("token", merchant.formToken) + file;
          const headers = {
            "Content-Type": `multipart/form-data; boundary=${random.chance(0.1) ? mutateText("limit", random).replaceAll(/[^ -~]/g, "") : "limit"}`,
            "Sec-Fetch-Site": "same-origin",
            Cookie: `__Host-settings=${merchant.sessionToken}`,
          };
          return post(`${edgeUrl}/settings${pathOf(path, values)}`, headers, mutateBytes(Buffer.from(body), random));
        },
      },
    ]),
  );
}

/** Sets the width and height in the header of a PNG, so that the decoder expects an image of another size. */
function sizedImage(image: Buffer, random: SeededRandom): Buffer {
  if (image[0] !== 0x89 || random.chance(0.7)) return image;
  const sized = Buffer.from(image);
  sized.writeUInt32BE(10 ** random.below(9), 16);
  sized.writeUInt32BE(10 ** random.below(9), 20);
  return sized;
}

function publicForms({ edgeUrl, linkToken }: AttackTarget): AttackRequest[] {
  const paths = [
    `/verify/${linkToken}/report`,
    `/verify/${linkToken}/opened`,
    "/verify/x",
    "/settings/sign-in",
    "/settings/sign-out",
  ];
  return paths.map((path) => ({
    name: `POST ${path.replace(linkToken, ":link")}`,
    send: (random) => {
      const body = "content=It+differs.&email=ada%40example.test&token=x&opened=1";
      return post(edgeUrl + path, { "Content-Type": formType }, mutateBytes(Buffer.from(body), random));
    },
  }));
}

function webhooks({ edgeUrl, app, shop }: AttackTarget): AttackRequest[] {
  const refund = { id: 1, order_id: 5_400_000_000_001, refund_line_items: [{ line_item_id: 1, quantity: 1 }] };
  const product = { id: 8_100_000_000_001, title: "Poster", tags: "limited", updated_at: "2030-01-31T10:00:00Z" };
  const request = { shop_domain: shop, customer: { id: 1, email: "ada@example.test" }, orders_requested: [1] };
  const topics: readonly (readonly [string, () => object])[] = [
    ["orders/paid", orderPayload],
    ["orders/updated", orderPayload],
    ["refunds/create", () => refund],
    ["products/update", () => product],
    ["customers/data_request", () => request],
    ["customers/redact", () => request],
    ["unknown/topic", () => request],
  ];
  return topics.map(([topic, payload]) => ({
    name: `POST /storefront/shopify/webhooks ${topic}`,
    send: (random) => {
      const text = JSON.stringify(mutateJson(payload(), random)) ?? "";
      return app.send(edgeUrl, { shop, topic, payload: random.chance(0.2) ? mutateText(text, random) : text });
    },
  }));
}

function operatorMethods({ apiUrl, apiToken, values }: AttackTarget): AttackRequest[] {
  const services = [...Object.values(operatorServices), DiagnosticsService];
  return services.flatMap((service) =>
    service.methods
      .filter(({ methodKind }) => methodKind === "unary")
      .map((method) => ({
        name: `POST /${methodName(method)}`,
        send: (random) => {
          const json = JSON.stringify(mutateJson(exampleMessage(method.input, values), random)) ?? "";
          const headers = {
            "Content-Type": "application/json",
            Authorization: `Bearer ${apiToken}`,
            ...(accessOf(method).scope === "one_store" &&
              inStore(random.chance(0.1) ? "unknown" : (values.store_id ?? "")).headers),
          };
          const body = random.chance(0.1) ? mutateBytes(Buffer.from(json), random) : Buffer.from(json);
          return post(`${apiUrl}/${methodName(method)}`, headers, body);
        },
      })),
  );
}

function post(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: new Uint8Array(body), redirect: "manual" });
}
