import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { z } from "zod";
import { textLimits } from "#shared/text/text-limits.ts";
import { id, time } from "./fields.ts";

/** Maximum number of tags of a product; further ones are ignored. */
export const tagsMax = 250;

// An array with more tags is refused before its elements are looked at, each of which could be a fault.
const tagTextsMax = 10_000;
const imageUrlLengthMax = 2_048;
// Twice the 416 CSS pixels at which pages show an image, and some more for one that is cropped in the shop.
const imageWidth = 1_024;

/** The payload of the products/create and products/update webhooks: a Product resource of the Admin REST API. */
export const productPayload = z
  .object({
    id,
    // Required: an order's payload has no title.
    title: z.string(),
    // A comma-separated string in the REST API; an array is accepted too.
    tags: z.union([z.string(), z.array(z.string()).max(tagTextsMax)]).nullish(),
    updated_at: time,
    // What is not understood here counts as no image: the tags matter more.
    image: z
      .object({ src: z.string().max(imageUrlLengthMax) })
      .nullish()
      .catch(null),
  })
  .transform((product) => ({
    id: product.id,
    tags: tagsOf(product.tags ?? ""),
    updatedAt: timestampFromDate(product.updated_at),
    imageUrl: imageUrlOf(product.image?.src),
  }));

/** Returns the URL of an image in the size that the registry needs; the empty string for a missing or other URL. */
function imageUrlOf(src: string | undefined): string {
  const url = URL.parse(src ?? "");
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") return "";
  // https://shopify.dev/docs/api/liquid/filters/image_url: the platform's own servers make images smaller.
  if (url.hostname === "cdn.shopify.com") url.searchParams.set("width", String(imageWidth));
  url.hash = "";
  return url.href.length > imageUrlLengthMax ? "" : url.href;
}

function tagsOf(tags: string | readonly string[]): string[] {
  const texts = typeof tags === "string" ? tags.split(",", tagTextsMax) : tags;
  const trimmed = texts.map((tag) => tag.trim().slice(0, textLimits.tag.max).toWellFormed());
  return trimmed.filter((tag) => tag !== "").slice(0, tagsMax);
}
