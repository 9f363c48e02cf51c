import type { DescMethod, Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";

/**
 * The stores that a method of the operator API concerns: the store that its request identifies by `store_id` or `shop`,
 * or all stores.
 */
export type StoreScope = "named_store" | "all_stores";

const scopes: Readonly<Record<string, StoreScope>> = {
  "registry.v1.IssuingService/IssueCertificates": "named_store",
  "registry.v1.IssuingService/CreateSamples": "named_store",
  "registry.v1.LifecycleService/RevokeCertificate": "named_store",
  "registry.v1.LifecycleService/ReactivateCertificate": "named_store",
  "registry.v1.LifecycleService/TransferCertificate": "named_store",
  "registry.v1.LinkService/ReplaceLink": "named_store",
  "registry.v1.InspectionService/GetCertificate": "named_store",
  "registry.v1.InspectionService/FindCertificates": "named_store",
  "registry.v1.InspectionService/GetSample": "named_store",
  "registry.v1.InspectionService/GetHistory": "named_store",
  "registry.v1.InspectionService/ListStoreHistory": "named_store",
  "registry.v1.InspectionService/ListReports": "named_store",
  "registry.v1.InspectionService/ListDeliveries": "named_store",
  "registry.v1.ReportService/CloseReport": "named_store",
  "registry.v1.PersonService/ErasePerson": "named_store",
  "registry.v1.StorefrontService/GetStorefront": "named_store",
  "registry.v1.StorefrontService/SetStorefrontRules": "named_store",
  "registry.v1.StorefrontService/ListStorefrontProblems": "named_store",
  "registry.v1.StorefrontService/RetryStorefront": "named_store",
  "registry.v1.StorefrontService/ListDataRequests": "named_store",
  "registry.v1.StorefrontService/GetDataRequestReport": "named_store",
  "registry.v1.DeliveryService/SendTestMessage": "named_store",
  "registry.v1.DeliveryService/RedeliverEvent": "named_store",
  // The list contains the messages of all stores, and messages whose store is unknown.
  "registry.v1.DeliveryService/ListQuarantinedMessages": "all_stores",
  "registry.v1.TriggerService/CreateTrigger": "named_store",
  "registry.v1.TriggerService/ListTriggers": "named_store",
  "registry.v1.TriggerService/DeleteTrigger": "named_store",
  "registry.v1.TriggerService/EnableTrigger": "named_store",
  "registry.v1.TriggerService/DisableTrigger": "named_store",
  "registry.v1.TriggerService/RotateTriggerSecret": "named_store",
  "registry.v1.TriggerService/TestTrigger": "named_store",
  "registry.v1.TriggerService/ListTriggerDeliveries": "named_store",
  "registry.v1.DiagnosticsService/RunDiagnostics": "all_stores",
  "registry.v1.StoreAdminService/CreateStore": "named_store",
  "registry.v1.StoreAdminService/GetStore": "named_store",
  "registry.v1.StoreAdminService/ListStores": "all_stores",
  "registry.v1.StoreAdminService/SetPlan": "named_store",
  "registry.v1.StoreAdminService/UpdateSettings": "named_store",
  "registry.v1.StoreAdminService/SetWebhook": "named_store",
  "registry.v1.StoreAdminService/GetWebhook": "named_store",
  "registry.v1.StoreAdminService/RotateWebhookSecret": "named_store",
  "registry.v1.StoreAdminService/ResealSecrets": "all_stores",
  "registry.v1.StoreAdminService/CreateApiKey": "named_store",
  "registry.v1.StoreAdminService/ListApiKeys": "named_store",
  "registry.v1.StoreAdminService/RollApiKey": "named_store",
  "registry.v1.StoreAdminService/RevokeApiKey": "named_store",
  "registry.v1.StoreAdminService/PutProducts": "named_store",
  "registry.v1.StoreAdminService/CreateSettingsLink": "named_store",
  "registry.v1.StoreAdminService/RevokeSessions": "named_store",
};

/** Returns a method's name as it appears in paths, logs and metrics: `package.Service/Method`. */
export function methodName({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

/** Returns the stores that a method concerns; undefined for a method that is not in the table. */
export function storeScopeOf(method: DescMethod): StoreScope | undefined {
  return scopes[methodName(method)];
}

/** A store as a request identifies it: by its id or by its domain. */
export type NamedStore = { readonly storeId: string } | { readonly shop: string };

/**
 * Returns the stores that a request identifies in its fields `store_id` and `shop`; ignores fields that are not set.
 */
export function storesNamedBy(method: DescMethod, message: Message): readonly NamedStore[] {
  const request = reflect(method.input, message);
  const textOf = (name: string): string | undefined => {
    const field = request.fields.find((one) => one.name === name);
    const value = field !== undefined && request.isSet(field) ? request.get(field) : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const storeId = textOf("store_id");
  const shop = textOf("shop");
  return [...(storeId === undefined ? [] : [{ storeId }]), ...(shop === undefined ? [] : [{ shop }])];
}
