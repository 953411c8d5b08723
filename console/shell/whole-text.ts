// Text that is cut off for want of room, shown whole under the pointer.

/** Those that have a title from here: what is in them may change, and whether it fits. */
const titled = new WeakSet<HTMLElement>();

/** For every element that the pointer comes over. */
export function showWhole({ target }: Event): void {
  if (!(target instanceof HTMLElement) || (target.title !== '' && !titled.has(target))) return;
  const isCut =
    target.scrollWidth > target.clientWidth && getComputedStyle(target).textOverflow === 'ellipsis';
  if (!isCut && !titled.has(target)) return;
  titled.add(target);
  target.title = isCut ? target.textContent : '';
}
