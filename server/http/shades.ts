// The shades of an operator's colour on the grounds of the console and of /docs, light and dark. A colour
// cannot reach a contrast of 4.5:1 on both: the light ground has the colour itself, the dark one a lighter
// shade of it. Contrast is that of WCAG 2.2.

/** `#0b6e4f` */
export type Color = string;

interface Scheme {
  /** Under text of the colour (console/styles/theme.css): page, panels, menus, a row under the pointer. */
  readonly grounds: readonly Color[];
  readonly surface: Color;
  /** How much of the colour its own soft ground has. */
  readonly softness: number;
  /** Where other shades are looked for. */
  readonly away: Color;
}

const LIGHT: Scheme = {
  grounds: ['#ffffff', '#f4f6f7', '#f1f5f5'],
  surface: '#ffffff',
  softness: 0.12,
  away: '#000000',
};
const DARK: Scheme = {
  grounds: ['#0f1417', '#161d21', '#1c252a', '#1d272c'],
  surface: '#161d21',
  softness: 0.16,
  away: '#ffffff',
};
export const LEAST_CONTRAST = 4.5;
const LINE = 0.35;
const PRESSED = 0.15;
const DEEP = 0.85;
const PERCENT = 100;

const channels = (color: Color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function luminance(color: Color): number {
  const [r = 0, g = 0, b = 0] = channels(color)
    .map((channel) => channel / 255)
    .map((channel) => (channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one: Color, other: Color): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** `share` of `other`, the rest of `one`. */
function mix(one: Color, other: Color, share: number): Color {
  const [from, to] = [channels(one), channels(other)];
  const mixed = from.map((channel, i) => Math.round(channel + ((to[i] ?? 0) - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

const softOf = (color: Color, { surface, softness }: Scheme) => mix(surface, color, softness);

function leastContrast(color: Color, scheme: Scheme): number {
  return Math.min(...[...scheme.grounds, softOf(color, scheme)].map((ground) => contrast(color, ground)));
}

/** The shade nearest to a colour that can be read. */
function readable(color: Color, scheme: Scheme): Color {
  const shades = Array.from({ length: PERCENT + 1 }, (_, i) => mix(color, scheme.away, i / PERCENT));
  return shades.find((shade) => leastContrast(shade, scheme) >= LEAST_CONTRAST) ?? scheme.away;
}

/** What is wrong with a colour on light ground, and the shade of it that would do. */
export function unreadable(color: Color): { readonly contrast: number; readonly instead: Color } | undefined {
  const found = leastContrast(color, LIGHT);
  return found >= LEAST_CONTRAST ? undefined : { contrast: found, instead: readable(color, LIGHT) };
}

/** The properties of the style sheets that a colour changes. */
export function shades(color: Color): Readonly<Record<string, string>> {
  const dark = readable(color, DARK);
  const both = (light: Color, other: Color) => `light-dark(${light}, ${other})`;
  return {
    '--accent': both(color, dark),
    '--accent-soft': both(softOf(color, LIGHT), softOf(dark, DARK)),
    '--accent-line': both(mix(LIGHT.surface, color, LINE), mix(DARK.surface, dark, LINE)),
    '--on-accent': both('#ffffff', mix(dark, '#000000', DEEP)),
    '--part-0': both(color, dark),
    '--mantine-color-brand-filled': both(color, dark),
    '--mantine-color-brand-filled-hover': both(mix(color, '#000000', PRESSED), mix(dark, '#ffffff', PRESSED)),
  };
}
