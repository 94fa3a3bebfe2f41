const VERSION = /^(\d+)\.(\d+)\.(\d+)/

/** Compares versions such as `0.2.10`: negative if `a` is older than `b`, 0 if they are equal. Text after the numbers is ignored. */
export function compareVersions(a: string, b: string): number {
  const [ours, theirs] = [partsOf(a), partsOf(b)]
  const differs = ours.findIndex((part, position) => part !== theirs[position])
  return differs < 0 ? 0 : (ours[differs] ?? 0) - (theirs[differs] ?? 0)
}

function partsOf(version: string): number[] {
  const [, ...parts] = VERSION.exec(version) ?? []
  if (parts.length === 0) throw new Error(`${version} is not a version`)
  return parts.map(Number)
}
