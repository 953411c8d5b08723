// The public door: what a program that installs this package may use. The only re-exporting file in the repository.

export * from './client/cache.ts';
export * from './client/client.ts';
export * from './client/export.ts';
export type { ClientOptions } from './client/options.ts';
export { Page, type PagePromise } from './client/page.ts';
export * from './contract/charge.ts';
export * from './contract/contract.ts';
export * from './contract/facets.ts';
export * from './contract/fold.ts';
export * from './contract/list.ts';
export * from './contract/problems.ts';
export * from './contract/query.ts';
export * from './contract/query-parser.ts';
export * from './contract/suggestion.ts';
export * from './contract/timestamp.ts';
export * from './lists/additional-services.ts';
export * from './lists/page.ts';
export * from './lists/virtual-numbers.ts';
