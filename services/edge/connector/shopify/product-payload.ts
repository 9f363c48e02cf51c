import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { z } from "zod";
import { textLimits } from "#shared/text/text-limits.ts";
import { id, time } from "./fields.ts";

/** Maximum number of tags of a product; further ones are ignored. */
export const tagsMax = 250;

// An array with more tags is refused before its elements are looked at, each of which could be a fault.
const tagTextsMax = 10_000;

/** The payload of the products/create and products/update webhooks: a Product resource of the Admin REST API. */
export const productPayload = z
  .object({
    id,
    // Required: an order's payload has no title.
    title: z.string(),
    // A comma-separated string in the REST API; an array is accepted too.
    tags: z.union([z.string(), z.array(z.string()).max(tagTextsMax)]).nullish(),
    updated_at: time,
  })
  .transform((product) => ({
    id: product.id,
    tags: tagsOf(product.tags ?? ""),
    updatedAt: timestampFromDate(product.updated_at),
  }));

function tagsOf(tags: string | readonly string[]): string[] {
  const texts = typeof tags === "string" ? tags.split(",", tagTextsMax) : tags;
  const trimmed = texts.map((tag) => tag.trim().slice(0, textLimits.tag.max).toWellFormed());
  return trimmed.filter((tag) => tag !== "").slice(0, tagsMax);
}
