import { html, isolated } from "../../pages/html.ts";
import { code, link, listPanel } from "../components/content.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { productPath, thumbnail } from "./product-page.ts";

const pageSize = 20;

/** Lists the products, with what certificate pages show of them. */
export const productsPage: SettingsPage = {
  path: "/products",
  section: "products",
  async show({ registry, query, language, text }) {
    const request = { afterProductId: query.get("after") ?? "", limit: pageSize + 1 };
    const { products: found } = await registry.stores.listProducts(request);
    const products = found.slice(0, pageSize);
    const last = found.length > pageSize ? products.at(-1) : undefined;
    const rows = products.map(({ productId, title, maker, image }) => ({
      title: html`${image && thumbnail(image, "")}${link(productPath(productId), isolated(title))}`,
      details: [isolated(maker), html`ID ${code(productId)}`],
    }));
    return {
      title: text("settings.shell.sections.products"),
      lead: text("settings.products.lead"),
      notice: query.get("done") === "saved" ? text("settings.products.saved") : undefined,
      content: listPanel(
        rows,
        text("settings.products.empty"),
        last === undefined ? "" : `/products?after=${encodeURIComponent(last.productId)}`,
        language,
      ),
    };
  },
};
