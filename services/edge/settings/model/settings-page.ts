import type { ServiceError } from "#shared/errors/service-error.ts";
import type { Language } from "#shared/texts/languages.ts";
import type { Text } from "#shared/texts/texts.ts";
import type { UploadedFile } from "../../http/uploaded-file.ts";
import type { Html } from "../../pages/html.ts";
import type { PageAssets } from "../../pages/page-assets.ts";
import type { SettingsCalls } from "../../registry-client/settings-client.ts";

/** An entry of the navigation. */
export type Section =
  | "overview"
  | "certificates"
  | "products"
  | "reports"
  | "storefront"
  | "webhook"
  | "deliveries"
  | "triggers"
  | "keys"
  | "store"
  | "plan"
  | "history";

interface SessionFacts {
  /** Domain of the store. */
  readonly shop: string;
  readonly storeName: string;
  /** Language of the store's certificate pages. */
  readonly storeLanguage: Language;
  readonly actor: string;
}

/** An error in a form: the name of the field, empty for the whole form, and the message that the merchant sees. */
export interface FormMistake {
  readonly field: string;
  readonly text: string;
}

/** A form that is shown again with its entries: with errors if it was refused, without if its session had ended. */
interface RefusedForm {
  readonly action: string;
  /** Identifies the form if the page has several for the action, such as one per key; otherwise the empty string. */
  readonly scope: string;
  readonly entries: URLSearchParams;
  readonly mistakes: readonly FormMistake[];
  /** The consequence that the merchant must confirm; undefined if the form was not sent or was refused. */
  readonly question?: string | undefined;
  /** Labels of the refused fields, by name; SettingsForm fills it, for the list of errors above the form. */
  readonly labels: Map<string, string>;
}

/** A request by a signed-in merchant. */
export interface Visit {
  readonly language: Language;
  /** The texts in the language. */
  readonly text: Text;
  readonly session: SessionFacts;
  /** Calls to the registry in the merchant's session. When a page is opened, they end once the client has left. */
  readonly registry: SettingsCalls;
  /** Aborts when the client disconnects before it has the whole response. */
  readonly clientSignal: AbortSignal;
  /** The parameters in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Token that each form of the session contains, against forged requests (CSRF); see TextSigner. */
  readonly formToken: string;
  /** The form that was sent and refused, or whose session had ended; undefined when the page is opened. */
  readonly refused?: RefusedForm | undefined;
  /** The new secret that an action of the page has created; undefined when the page is opened or reloaded. */
  readonly secret?: string | undefined;
  readonly now: Date;
}

/** A form that a merchant has sent. */
export interface SentForm {
  /** Returns the trimmed value of a field; the empty string if the field is missing. */
  text(name: string): string;
  has(name: string): boolean;
  /** Whether the merchant has confirmed the form with exactly these entries; see {@link ConfirmationNeeded}. */
  readonly isConfirmed: boolean;
}

/** The entries of a form whose change has an idempotency key. */
export interface KeyedForm extends SentForm {
  /** Idempotency key for the registry, so that a form that is sent twice takes effect once. */
  readonly nonce: string;
}

/** The content of a page. */
export interface View {
  readonly title: string;
  /** Why the page lacks what was asked for: it is sent and recorded with this error's status. Default: 200 */
  readonly failure?: ServiceError | undefined;
  /** The parts that the page leaves out, each with its error, for the log. Default: none */
  readonly omitted?: Readonly<Record<string, ServiceError>> | undefined;
  /** Introduction below the title. */
  readonly lead?: Html | string | undefined;
  /** Confirms that an action was successful; not shown with a refused form. */
  readonly notice?: string | Html | undefined;
  readonly content: Html;
  /** The page to which the link above the title leads. */
  readonly parent?: { readonly path: string; readonly title: string } | undefined;
}

/** The result of an action: a redirect (303) to `path`, or a secret, which the action's page shows after a redirect. */
export type Outcome = { readonly path: string } | { readonly secret: string };

interface Download {
  readonly fileName: string;
  readonly contentType: string;
  /** If the iteration fails, the connection is closed, so that the browser reports the download as failed. */
  readonly content: AsyncIterable<string> | readonly string[];
}

/** A page of the settings. Adding it to the list in pages.ts adds its route. */
export interface SettingsPage {
  /** Path below `/settings`; empty for the start page. May have parameters, as in `/certificates/:certificate`. */
  readonly path: string;
  readonly section: Section;
  readonly show?: (visit: Visit) => Promise<View>;
  /** Used instead of `show`: returns a complete document, without the navigation. */
  readonly document?: (visit: Visit, assets: PageAssets) => Promise<Html>;
  /** Used instead of `show`: returns a file. */
  readonly download?: (visit: Visit) => Promise<Download>;
  /** The fields of the page's forms, by the names under which the registry refuses them, such as `product.title`. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Handlers of the page's forms, by the value of the form's `action` field. */
  readonly actions?: Readonly<Record<string, (visit: Visit, form: SentForm) => Promise<Outcome>>>;
  /**
   * Like `actions`, for changes that a form which is sent twice makes once, because the registry saves them only in the
   * version that they were compared with: an error page that cannot say whether the change was made offers to send the
   * form again.
   */
  readonly guardedActions?: SettingsPage["actions"];
  /** Like `guardedActions`, for changes that the registry makes once for each idempotency key. */
  readonly keyedActions?: Readonly<Record<string, (visit: Visit, form: KeyedForm) => Promise<Outcome>>>;
  /**
   * Checks the entries while the merchant types, by the form's `action`, and returns the text that the script shows.
   * A refusal is an error page, never a redirect: the merchant has sent no form.
   */
  readonly checks?: Readonly<Record<string, (visit: Visit, form: SentForm) => Promise<string>>>;
  /** Like `actions`, for forms with a file. */
  readonly uploads?: Readonly<Record<string, (visit: Visit, form: SentForm, file: UploadedFile) => Promise<Outcome>>>;
}

/** Thrown by an action to show its form again, with an error message at each invalid field. */
export class FormRefusal extends Error {
  readonly mistakes: readonly FormMistake[];

  constructor(mistakes: readonly FormMistake[]) {
    super("the form contains invalid entries");
    this.name = "FormRefusal";
    this.mistakes = mistakes;
  }
}

/** Thrown by an action to show its form again, with a sentence that the merchant confirms by sending it once more. */
export class ConfirmationNeeded extends Error {
  readonly question: string;
  readonly entries: Readonly<Record<string, string>>;

  /**
   * @param question what happens if the merchant confirms
   * @param entries values to confirm with, in place of those that the form's fields have
   */
  constructor(question: string, entries: Readonly<Record<string, string>> = {}) {
    super("the form must be confirmed");
    this.name = "ConfirmationNeeded";
    this.question = question;
    this.entries = entries;
  }
}

/** Path under which the settings are served. */
export const settingsPath = "/settings";
