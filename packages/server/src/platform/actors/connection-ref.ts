/** A connection as actors know it, on whichever node: `<node>/<number>`. */
export type ConnectionRef = string

/** The id of the node that has the connection. */
export const nodeOf = (ref: ConnectionRef): string => ref.slice(0, ref.lastIndexOf('/'))

/** The number of the connection on its node; a connection that was opened later has a greater one. */
export const numberOf = (ref: ConnectionRef): number => Number(ref.slice(ref.lastIndexOf('/') + 1))
