/**
 * The version of everything that nodes exchange: messages to one node, messages to all (the bus), snapshots of actors, and what the
 * cluster stores in Redis. Nodes of neighbouring versions run side by side, so that an installation can be upgraded node by node; a
 * node that finds any other version running does not start.
 *
 * Raise it when a node of the previous version could not read, or would misread, what a node of this version sends or stores. Such
 * a change takes two releases: the first reads both forms and writes the old one, the second writes the new one. New message types
 * count: nodes ignore those that they do not know.
 *
 * It was raised from 2 to 4: filled matches changed messages and snapshots before the first release, so nodes of version 2 need not
 * run beside version 4.
 *
 * Nodes without a version are older than this constant and count as 0.
 */
export const NODE_PROTOCOL = 4

/** Whether nodes of these versions may run side by side: the versions differ by at most one. */
export const isCompatible = (theirs: number, ours: number = NODE_PROTOCOL): boolean =>
  Math.abs(theirs - ours) <= 1

const VERSION = /^(\d{1,9}):/

/** Puts the version before the text; `withoutVersion` removes it. */
export const withVersion = (text: string, ours: number = NODE_PROTOCOL): string => `${ours}:${text}`

/** The text without its version; undefined if that is missing or too far from ours. */
export function withoutVersion(text: string, ours: number = NODE_PROTOCOL): string | undefined {
  const [prefix, version] = VERSION.exec(text) ?? []
  if (prefix === undefined || !isCompatible(Number(version), ours)) return undefined
  return text.slice(prefix.length)
}
