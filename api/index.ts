// The public door: what a program that installs this package may use. The only re-exporting file in the repository.

export * from './charge.ts';
export * from './contract.ts';
export * from './fold.ts';
export * from './nearest.ts';
export * from './problems.ts';
export * from './query.ts';
export * from './timestamp.ts';
