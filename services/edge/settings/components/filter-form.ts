import { type Html, html } from "../../pages/html.ts";

interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "date" | "search";
  /** Maximum length in UTF-16 code units. Default: none. */
  readonly charactersMax?: number;
  /** The error that the page's script shows at a date that is incomplete or does not exist. */
  readonly mistake?: string;
  /** The values to choose from. If omitted, the field is an `<input>`. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

/** Renders a form that filters a list. It is sent with GET, so that a filtered list has its own URL. */
export function filterForm(query: URLSearchParams, fields: readonly FilterField[], submit: string): Html {
  return html`<form class="panel filter" method="get" role="search">
${fields.map((field) => html`<div class="field"><label for="filter-${field.name}">${field.label}</label>${inputOf(field, query)}</div>\n`)}
<div class="submit"><button type="submit">${submit}</button></div>
</form>`;
}

function inputOf({ name, type = "text", charactersMax, mistake, options }: FilterField, query: URLSearchParams): Html {
  const value = (query.get(name) ?? "").toWellFormed();
  if (options === undefined)
    return html`<input type="${type}" id="filter-${name}" name="${name}" value="${value}" autocomplete="off"${
      charactersMax && html` maxlength="${String(charactersMax)}"`
    }${mistake && html` data-mistake="${mistake}"`}>`;
  return html`<select id="filter-${name}" name="${name}">${options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === value ? html` selected` : ""}>${option.label}</option>`,
  )}</select>`;
}
