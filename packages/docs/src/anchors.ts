/** The id of a heading. Forges derive it in the same way, so a link to it works there as well. */
export const anchorOf = (heading: string): string => idOf(heading.toLowerCase())

/** The id of a name in a table, whose case stays. */
export const idOf = (name: string): string => name.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
