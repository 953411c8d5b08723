// The source files of the repository as a parser sees them: imports, functions, comments and identifiers,
// each with its line.

import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export const ROOT = join(import.meta.dirname, '..', '..');
/** Folders that hold what is installed or made. */
const FOREIGN = new Set(['.git', 'node_modules', 'dist', 'data', 'coverage']);
const CODE = /\.[cm]?[jt]sx?$/;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** One line of a comment or one identifier. */
export interface Located {
  readonly line: number;
  readonly text: string;
}

export interface FunctionSize {
  readonly line: number;
  /** From its first line to its last, both counted. */
  readonly lines: number;
}

/** A program as the rules look at it. */
export interface Parsed {
  /** Specifiers, of types and of dynamic imports too: `node:fs`, `fastify`, `./sql.ts`. */
  readonly imports: readonly string[];
  /** Whether it hands on what another file exports. */
  readonly reExports: boolean;
  readonly functions: readonly FunctionSize[];
  /** Whole lines of the file, one for each line that a comment touches. */
  readonly comments: readonly Located[];
  readonly identifiers: readonly Located[];
  /** The text without its comments. */
  readonly code: string;
}

export interface Source extends Parsed {
  /** From the root, with `/`: `server/lists/list.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Every file below a folder, from the root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path.split(sep).join('/')] : [];
  });
}

/** How many lines a text has; the end of the last line begins no other. */
export function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

/** @throws {Error} for a text that does not parse: rules that read nothing would hold. */
export function parse(path: string, text: string): Parsed {
  const { program, module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lines = text.split('\n');
  const starts: number[] = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  /** Counted from 1. */
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;

  const functions: FunctionSize[] = [];
  const identifiers: Located[] = [];
  /** `import('./sql.ts')`, in an expression and in a type. */
  const imported: string[] = [];
  const onImport = ({ source }: { readonly source: { readonly type: string; readonly value?: unknown } }) => {
    if (typeof source.value === 'string') imported.push(source.value);
  };
  const onFunction = ({ start, end }: Span) => {
    const line = lineAt(start);
    functions.push({ line, lines: lineAt(end) - line + 1 });
  };
  const onIdentifier = ({ start, name }: { readonly start: number; readonly name: string }) => {
    identifiers.push({ line: lineAt(start), text: name });
  };
  new Visitor({
    FunctionDeclaration: onFunction,
    FunctionExpression: onFunction,
    ArrowFunctionExpression: onFunction,
    Identifier: onIdentifier,
    PrivateIdentifier: onIdentifier,
    ImportExpression: onImport,
    TSImportType: onImport,
  }).visit(program);

  const commented = new Set(
    comments.flatMap(({ start, end }) => {
      const first = lineAt(start);
      return Array.from({ length: lineAt(end) - first + 1 }, (_, i) => first + i);
    }),
  );
  return {
    imports: [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...module.staticExports.flatMap(({ entries }) =>
        entries.flatMap((one) => one.moduleRequest?.value ?? []),
      ),
      ...imported,
    ],
    reExports: module.staticExports.some(({ entries }) => entries.some((one) => one.moduleRequest !== null)),
    functions,
    comments: [...commented].map((line) => ({ line, text: lines[line - 1] ?? '' })),
    identifiers,
    code: withoutSpans(text, comments),
  };
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let at = 0;
  let rest = '';
  for (const { start, end } of spans) {
    rest += text.slice(at, start);
    at = end;
  }
  return rest + text.slice(at);
}

/** The file that a relative import leads to, from the root; `undefined` for a package. */
export function importedFile(from: string, name: string): string | undefined {
  return name.startsWith('.') ? posix.join(posix.dirname(from), name) : undefined;
}

/** Every file of code, tests included. */
export function readSources(): Source[] {
  return filesBelow('.')
    .filter((path) => CODE.test(path))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, ...parse(path, text) };
    });
}

/** Groups of files that import each other in a circle, through however many others. */
export function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const mine = order.size;
    order.set(file, mine);
    open.push(file);
    let low = mine;
    for (const other of imports.get(file) ?? []) {
      if (!order.has(other)) low = Math.min(low, visit(other));
      else if (open.includes(other)) low = Math.min(low, order.get(other) ?? low);
    }
    if (low === mine) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1 || imports.get(file)?.includes(file)) found.push(group.toSorted());
    }
    return low;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}
