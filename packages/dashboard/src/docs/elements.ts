export const all = <E extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document) => [
  ...within.querySelectorAll<E>(selector),
]

export const one = <E extends HTMLElement = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E | null => within.querySelector<E>(selector)
