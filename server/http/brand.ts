// The operator's name, logo and colour, which customers see in place of Linecard's: read and checked when the
// service starts. A logo has an address of its own, where it is a picture and nothing else.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { WrongUsage } from '../errors.ts';
import { optionOf } from '../settings/config.ts';
import type { Settings } from '../settings/settings.ts';
import { LEAST_CONTRAST, shades, unreadable } from './shades.ts';

export type BrandSettings = Partial<
  Pick<Settings, 'brand_name' | 'brand_logo' | 'brand_logo_dark' | 'brand_color' | 'support_url'>
>;

export interface Logo {
  /** Below the path of the service: `/brand/1f0c….svg`. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** Whether it is so wide that it is a name by itself. */
  readonly isWide: boolean;
}

export interface Brand {
  readonly name: string;
  readonly logo?: Logo | undefined;
  readonly logoDark?: Logo | undefined;
  readonly colors?: Readonly<Record<string, string>> | undefined;
  readonly supportUrl?: string | undefined;
}

/** Of a service without settings of a name. */
export const OWN_BRAND: Brand = { name: 'Linecard' };

const MAX_BYTES = 262_144;
const WIDE = 2;
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const PNG_END = Buffer.from('IEND', 'latin1');
/** Where width and height, which are the first in it, end. */
const PNG_SIZE_END = 24;
const NAMESPACE = 'http://www.w3.org/2000/svg';
const PROLOGUE = /<\?.*?\?>|<!--.*?-->|<!DOCTYPE\s[^[>]*>/gs;
/** What a picture needs none of: scripts, other documents, and what is loaded from elsewhere. */
const ACTIVE =
  /<!ENTITY|<!DOCTYPE|<(?:script|foreignObject|iframe|animate|set)\b|\son\w+\s*=|(?:href|src)\s*=\s*["'](?!#|data:image\/(?:png|jpeg);)|url\((?!\s*["']?#)|@import/i;

/** Width by height; a square where an SVG does not say. */
function ratioOf(bytes: Buffer, svg: string | undefined): number {
  if (svg === undefined) return bytes.readUInt32BE(16) / Math.max(1, bytes.readUInt32BE(20));
  const [, box] = /\sviewBox=["']([^"']*)["']/.exec(svg) ?? [];
  const [width, height] =
    box === undefined
      ? ['width', 'height'].map((side) =>
          Number.parseFloat(new RegExp(`\\s${side}=["']([\\d.]+)`).exec(svg)?.[1] ?? ''),
        )
      : box
          .trim()
          .split(/[\s,]+/)
          .slice(2)
          .map(Number);
  const ratio = Number(width) / Number(height);
  return Number.isFinite(ratio) ? ratio : 1;
}

function checkedSvg(bytes: Buffer, refuse: (why: string) => never): string {
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll(PROLOGUE, '')
    .trim();
  const [, attributes = ''] = /^<svg\s([^>]*)>/.exec(text) ?? [];
  if (
    ![`="${NAMESPACE}"`, `='${NAMESPACE}'`].some((one) => attributes.includes(one)) ||
    !text.endsWith('</svg>')
  )
    refuse(`is neither a PNG nor a complete SVG with xmlns="${NAMESPACE}": export it again as one of them`);
  const [active] = ACTIVE.exec(text) ?? [];
  if (active !== undefined)
    refuse(
      `has "${active.trim()}" in it, and a logo must be a picture alone: export it as a plain SVG, or as a PNG`,
    );
  return text;
}

function logoOf(bytes: Buffer, ending: 'png' | 'svg', ratio: number): Logo {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return {
    path: `/brand/${digest}.${ending}`,
    type: ending === 'png' ? 'image/png' : 'image/svg+xml',
    bytes,
    isWide: ratio > WIDE,
  };
}

/** For a name without a logo: its first letter or digit on its colour. */
function monogram(name: string, color = '#0f6b6b'): Logo {
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '';
  const text = `<text x="16" y="22.5" font-family="sans-serif" font-size="18" font-weight="700" text-anchor="middle" fill="#fff">${letter}</text>`;
  const square = `<rect width="32" height="32" rx="8" fill="${color}"/>`;
  const svg = `<svg xmlns="${NAMESPACE}" viewBox="0 0 32 32">${square}${text}</svg>`;
  return logoOf(Buffer.from(svg), 'svg', 1);
}

/** @throws {WrongUsage} if the file is no picture that can be shown. */
function readLogo(name: 'brand_logo' | 'brand_logo_dark', file: string | undefined): Logo | undefined {
  if (file === undefined) return undefined;
  const refuse = (why: string): never => {
    throw new WrongUsage(`${optionOf(name)} ${file} ${why}.`);
  };
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new WrongUsage(`${optionOf(name)} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
  if (bytes.length > MAX_BYTES)
    refuse(
      `has ${Math.ceil(bytes.length / 1024)} KiB, and at most ${MAX_BYTES / 1024} are allowed: make it smaller`,
    );
  const isPng = bytes.subarray(0, PNG.length).equals(PNG);
  if (isPng && bytes.indexOf(PNG_END) < PNG_SIZE_END) refuse('is a PNG that is not complete: copy it again');
  const svg = isPng ? undefined : checkedSvg(bytes, refuse);
  return logoOf(bytes, isPng ? 'png' : 'svg', ratioOf(bytes, svg));
}

/** @throws {WrongUsage} */
function colorsOf(color: string | undefined): Brand['colors'] {
  if (color === undefined) return undefined;
  const fault = unreadable(color);
  if (fault === undefined) return shades(color);
  throw new WrongUsage(
    `${optionOf('brand_color')} ${color} cannot be read on light ground: its contrast is ${fault.contrast.toFixed(1)}:1, and ${LEAST_CONTRAST}:1 is needed. ${fault.instead} would do.`,
  );
}

/**
 * What customers see; Linecard's name by default.
 * @throws {WrongUsage} if a setting cannot be used
 */
export function brandOf(settings: BrandSettings): Brand {
  const { brand_name = OWN_BRAND.name, brand_logo, brand_logo_dark, brand_color, support_url } = settings;
  if (brand_logo === undefined && brand_logo_dark !== undefined)
    throw new WrongUsage(
      `${optionOf('brand_logo_dark')} has no effect without ${optionOf('brand_logo')}, the logo on light ground.`,
    );
  const given = [settings.brand_name, brand_logo, brand_color, support_url];
  if (given.every((one) => one === undefined)) return OWN_BRAND;
  return {
    name: brand_name,
    logo:
      readLogo('brand_logo', brand_logo) ??
      (settings.brand_name === undefined ? undefined : monogram(brand_name, brand_color)),
    logoDark: readLogo('brand_logo_dark', brand_logo_dark),
    colors: colorsOf(brand_color),
    supportUrl: support_url,
  };
}

/** Style that sets the colours; empty without any. */
export function styleOf({ colors = {} }: Brand): string {
  const rules = Object.entries(colors).map(([property, value]) => `${property}: ${value};`);
  return rules.length === 0 ? '' : `:root { ${rules.join(' ')} }`;
}
