// The operator's logo, or ours.

import { useComputedColorScheme } from '@mantine/core';
import icon from '../icon.svg';
import { brand } from '../page.ts';

/** The name stands next to it, or it is the name: it says nothing to screen readers. */
export function Logo({ size }: { readonly size: number }) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const src = scheme === 'dark' ? brand.logoDark : brand.logo;
  if (src === undefined) return <img src={icon} width={size} height={size} alt="" />;
  return <img className="logo" src={src} height={size} alt="" />;
}
