// The public door: what a program that installs this package may use. The only re-exporting file in the repository.

export * from './cache.ts';
export * from './charge.ts';
export * from './client.ts';
export * from './contract.ts';
export * from './download.ts';
export * from './facets.ts';
export * from './fold.ts';
export * from './nearest.ts';
export type { ClientOptions } from './options.ts';
export { Page, type PagePromise } from './page.ts';
export * from './params.ts';
export * from './problems.ts';
export * from './query.ts';
export * from './timestamp.ts';
