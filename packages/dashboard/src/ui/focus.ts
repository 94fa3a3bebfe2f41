/** As a `ref`: focuses the element when it appears. Dialogs do this themselves, by `autofocus`. */
export const focusOnMount = (element: HTMLElement | null) => element?.focus()
