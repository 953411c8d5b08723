// The public entry point: everything that a program needs to read from a Linecard deployment. The lists are
// described in `@linecard/client/contract` and `@linecard/client/openapi`.

export type { ActivityPage, ActivityPromise } from './client/activity.ts';
export { Cache } from './client/cache.ts';
export { type Account, type AccountBelow, type AccountsQuery, Client } from './client/client.ts';
export type { Copy, CopyUpdate, Synced } from './client/copy.ts';
export type { Export } from './client/export.ts';
export { type AnswerHead, answerOf, type RateLimit } from './client/headers.ts';
export type { ListClient } from './client/list-client.ts';
export type { NumbersClient } from './client/numbers-client.ts';
export type {
  CallOptions,
  ChangesQuery,
  ClientOptions,
  ExportFormat,
  ExportOptions,
} from './client/options.ts';
export type { Page, PagePromise } from './client/page.ts';
export type { Retry } from './client/retry.ts';
export {
  readWebhook,
  type WebhookEventData,
  type WebhookHeaders,
  type WebhookItem,
  type WebhookMessage,
  type WebhookPaymentsData,
  type WebhookReplacedData,
} from './client/webhook-message.ts';
export type { ActivityEntry, ActivityEvent, ActivityQuery } from './contract/activity.ts';
export type { Change, ChangesEnd, ChangesPage } from './contract/changes.ts';
export { chargeOf, chargeText, parseCharge } from './contract/charge.ts';
export type { Due, Facet } from './contract/facets.ts';
export type { Language } from './contract/labels.ts';
export type { OwnFieldFacts } from './contract/own-fields.ts';
export {
  type ClientProblemCode,
  clientProblems,
  type Fault,
  Problem,
  type ProblemBody,
  type ProblemCode,
  problems,
} from './contract/problems.ts';
export type { NumberRange, RangeSplit, RangesOptions } from './contract/ranges.ts';
export { parseTimestamp, timestampOf } from './contract/timestamp.ts';
export type { Webhook, WebhookAttempt, WebhookEvent } from './contract/webhooks.ts';
export type {
  AdditionalService,
  AdditionalServices,
  AdditionalServicesFacets,
  AdditionalServicesFilters,
  AdditionalServicesQuery,
  AdditionalServicesSelection,
  AdditionalServicesSortKey,
  AdditionalServicesWalk,
} from './lists/additional-services.ts';
export type { PageOf } from './lists/answers.ts';
export type {
  VirtualNumber,
  VirtualNumbers,
  VirtualNumbersFacets,
  VirtualNumbersFilters,
  VirtualNumbersQuery,
  VirtualNumbersSelection,
  VirtualNumbersSortKey,
  VirtualNumbersWalk,
} from './lists/virtual-numbers.ts';
