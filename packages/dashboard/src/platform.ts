/** What the browser provides: time, randomness, files and the clipboard. No other file uses them directly. */

/** Milliseconds since 1970. */
export const nowMs = (): number => Date.now()
/** The current UTC day, like 2026-11-05. */
export const today = (): string => new Date(nowMs()).toISOString().slice(0, 10)
/** For the header `Idempotency-Key`. */
export const newId = (): string => crypto.randomUUID()

/** Saves a text as a file of the person. */
export function download(name: string, type: string, text: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Whether keys are named as on Apple's keyboards. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** SHA-256 as hexadecimal digits. */
export async function sha256Hex(bytes: BufferSource): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A random verifier and its SHA-256 in base64url (PKCE, S256). */
export async function newVerifier(): Promise<{ verifier: string; challenge: string }> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: base64url(new Uint8Array(digest)) }
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
