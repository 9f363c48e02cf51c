import { publicCertificateSchema } from "#shared/certificates/public-certificate.ts";
import { ServiceError, unlessNotFound } from "#shared/errors/service-error.ts";
import type { ImageReference } from "#shared/images/image.ts";
import { productImageTarget } from "#shared/images/product-image-target.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import { SettingsForm } from "../components/form.ts";
import { imagePanel } from "../components/image-panel.ts";
import { uploadedImage } from "../components/uploaded-image.ts";
import type { Outcome, SettingsPage, Visit } from "../model/settings-page.ts";
import { storefrontImageForm } from "./storefront-image.ts";

/** Maximum size of an uploaded image of a product, in bytes. */
export const productFileBytesMax = 8 * 1_024 * 1_024;

const field = "image";
const thumbnailPixels = 48;

export function productPath(productId: string): string {
  return `/products/product?${new URLSearchParams({ id: productId })}`;
}

/** Returns the path of the page of a certificate's product, which may be missing in the list of products. */
export function productPathOf(certificateId: string): string {
  return `/products/product?${new URLSearchParams({ certificate: certificateId })}`;
}

/** Renders a small image of a product. @param alt empty if the product's title is next to the image */
export function thumbnail({ id, width, height }: ImageReference, alt: string): Html {
  const scale = thumbnailPixels / Math.max(width, height);
  return html`<img src="/verify/images/${id}" width="${Math.ceil(width * scale)}" height="${Math.ceil(height * scale)}" alt="${alt}" loading="lazy">`;
}

/** Sets the image and the maker that certificate pages show of a product. */
export const productPage: SettingsPage = {
  path: "/products/product",
  section: "products",
  async show(visit) {
    const { text, query } = visit;
    const { productId, title, maker, image } = await findProduct(visit);
    const makerForm = new SettingsForm(visit, "setMaker");
    return {
      title,
      parent: { path: "/products", title: text("settings.shell.sections.products") },
      notice: query.get("done") === "saved" ? text("settings.products.saved") : undefined,
      content: html`${imagePanel(visit, {
        title: text("settings.products.image"),
        lead: text("settings.products.imageLead"),
        image,
        alt: title,
        kind: "product",
        set: {
          action: "setImage",
          field,
          label: text("settings.products.file"),
          submit: text("settings.products.saveImage"),
        },
        remove: { action: "removeImage", submit: text("settings.products.removeImage") },
        more: await storefrontImageForm(visit, productId),
      })}
<section class="panel">${makerForm.frame(
        makerForm.text({
          name: "maker",
          label: text("settings.products.maker"),
          hint: text("settings.products.makerHint"),
          value: maker,
          charactersMax: textLimits.maker.max,
        }),
        { submit: text("settings.products.saveMaker") },
      )}</section>`,
    };
  },
  uploads: {
    async setImage(visit, _form, file) {
      const product = await findProduct(visit);
      const tooLarge = "settings.products.tooLarge";
      const { content, ...size } = await uploadedImage(visit, file, {
        field,
        fileBytesMax: productFileBytesMax,
        target: productImageTarget,
        tooLarge,
      });
      return change(visit, product, { image: content, ...size });
    },
  },
  actions: {
    async removeImage(visit) {
      return change(visit, await findProduct(visit), { image: new Uint8Array() });
    },
    async takeImage(visit) {
      const { productId, title } = await findProduct(visit);
      await visit.registry.images.takeStorefrontImage({ productId, title });
      const query = new URLSearchParams(visit.query);
      query.delete("done");
      return { path: `/products/product?${query}` };
    },
    async setMaker(visit, form) {
      return change(visit, await findProduct(visit), { maker: form.text("maker") });
    },
  },
};

interface ShownProduct {
  readonly productId: string;
  readonly title: string;
  readonly maker: string;
  readonly image?: ImageReference | undefined;
}

type DisplayChange =
  | { readonly maker: string }
  | { readonly image: Uint8Array; readonly width?: number; readonly height?: number };

async function change({ registry }: Visit, { productId, title }: ShownProduct, to: DisplayChange): Promise<Outcome> {
  const { product } = await registry.stores.setProductDisplay({ ...to, productId, title });
  // Without image and maker, a product that is not in the catalogue has no page.
  const isShown = product !== undefined && (product.image !== undefined || product.maker !== "");
  return { path: isShown ? `${productPath(productId)}&done=saved` : "/products?done=saved" };
}

/**
 * Returns the product that the query names: by its id, or by a certificate of it.
 *
 * @throws ServiceError `not_found`
 */
async function findProduct({ registry, query }: Visit): Promise<ShownProduct> {
  const known = async (productId: string) => (await unlessNotFound(registry.stores.getProduct({ productId })))?.product;
  const certificateId = query.get("certificate");
  if (certificateId === null) return required(await known(query.get("id") ?? ""));
  const by = { case: "certificateId", value: certificateId } as const;
  const { product } = publicCertificateSchema.parse((await registry.inspection.getCertificate({ by })).certificate);
  // The product of a certificate that was issued by hand has no id, by which its image could be found.
  if (product.id === "") throw productNotFound();
  return (await known(product.id)) ?? { productId: product.id, title: product.title, maker: "" };
}

function required(product: ShownProduct | undefined): ShownProduct {
  if (product === undefined) throw productNotFound();
  return product;
}

function productNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such product.");
}
