/** All elements that a selector matches, in the page or within one element of it. */
export const all = <E extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document) => [
  ...within.querySelectorAll<E>(selector),
]

/** The first element that a selector matches. */
export const one = <E extends HTMLElement = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E | null => within.querySelector<E>(selector)
