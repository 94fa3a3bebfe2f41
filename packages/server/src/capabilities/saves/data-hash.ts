/**
 * A hash of the JSON text of a save, by which the service recognizes a write of the same device (SAV-16). It is one that a page which
 * closes can compute: SHA-256 is asynchronous there. The same function as in the SDK's `data/data-hash.ts`.
 */
export function dataHash(text: string): number {
  let hash = text.length
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x1000193)
  return hash
}
