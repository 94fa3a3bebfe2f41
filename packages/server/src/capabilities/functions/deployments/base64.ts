/** Adds a problem of a deployment. */
export type Report = (path: string, message: string) => void

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Empty if it is not base64. */
export function decodeBase64(content: string, path: string, report: Report): Buffer {
  if (content.length % 4 === 0 && BASE64.test(content)) return Buffer.from(content, 'base64')
  report(path, 'must be base64')
  return Buffer.alloc(0)
}
