import type { Peer } from "#shared/rpc/peer-names.ts";

const peersOfMethods = {
  edge: [
    "registry.v1.EdgeService/HandleList",
    "registry.v1.EdgeService/ReturnAdmissions",
    "registry.v1.EdgeService/ListRecentKeys",
    "registry.v1.EdgeService/Admit",
    "registry.v1.EdgeService/ListCertificates",
    "registry.v1.ListExchangeService/Exchange",
    "registry.v1.VerificationService/GetPage",
    "registry.v1.VerificationService/RecordVerification",
    "registry.v1.VerificationService/ReportProblem",
  ],
  notifier: [
    "registry.v1.NotifierService/ClaimDeliveries",
    "registry.v1.NotifierService/RecordOutcomes",
    "registry.v1.NotifierService/QuarantineMessage",
  ],
  operator: [
    "registry.v1.IssuingService/IssueCertificates",
    "registry.v1.IssuingService/ImportCertificates",
    "registry.v1.IssuingService/CreateSamples",
    "registry.v1.LifecycleService/RevokeCertificate",
    "registry.v1.LifecycleService/ReactivateCertificate",
    "registry.v1.LifecycleService/TransferCertificate",
    "registry.v1.InspectionService/GetCertificate",
    "registry.v1.InspectionService/FindCertificates",
    "registry.v1.InspectionService/GetSample",
    "registry.v1.InspectionService/GetHistory",
    "registry.v1.InspectionService/ListStoreHistory",
    "registry.v1.InspectionService/ListReports",
    "registry.v1.InspectionService/ListDeliveries",
    "registry.v1.ReportService/CloseReport",
    "registry.v1.PersonService/ErasePerson",
    "registry.v1.StoreAdminService/CreateStore",
    "registry.v1.StoreAdminService/GetStore",
    "registry.v1.StoreAdminService/ListStores",
    "registry.v1.StoreAdminService/SetPlan",
    "registry.v1.StoreAdminService/UpdateSettings",
    "registry.v1.StoreAdminService/SetWebhook",
    "registry.v1.StoreAdminService/GetWebhook",
    "registry.v1.StoreAdminService/RotateWebhookSecret",
    "registry.v1.StoreAdminService/ResealSecrets",
    "registry.v1.StoreAdminService/CreateApiKey",
    "registry.v1.StoreAdminService/ListApiKeys",
    "registry.v1.StoreAdminService/RollApiKey",
    "registry.v1.StoreAdminService/RevokeApiKey",
    "registry.v1.StoreAdminService/PutProducts",
    "registry.v1.DeliveryService/SendTestMessage",
    "registry.v1.DeliveryService/RedeliverEvent",
    "registry.v1.DeliveryService/ListQuarantinedMessages",
    "registry.v1.DiagnosticsService/RunDiagnostics",
    "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
  ],
} as const;

const healthMethods = ["Check", "Watch", "List"].map((name) => `grpc.health.v1.Health/${name}`);
const callers = ["edge", "notifier", "operator"] as const;

/** Each method of the registry's gRPC port, with the peers that may call it. */
export const expectedCallers: readonly (readonly [method: string, permitted: readonly Peer[]])[] = [
  ...callers.flatMap((peer) => peersOfMethods[peer].map((method) => [method, [peer]] as const)),
  ...healthMethods.map((method) => [method, callers] as const),
];
