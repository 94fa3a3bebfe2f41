/** The element with this id. */
export function $(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`The page has no element #${id}.`)
  return element
}

/** A new element with a text. */
export function element(name: string, text = '', className = ''): HTMLElement {
  return Object.assign(document.createElement(name), { textContent: text, className })
}
