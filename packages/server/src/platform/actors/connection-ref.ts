/** A connection as actors know it, on whichever node: `<node>/<number>`. */
export type ConnectionRef = string

export const nodeOf = (ref: ConnectionRef): string => ref.slice(0, ref.lastIndexOf('/'))
