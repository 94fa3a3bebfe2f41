import { hash } from 'node:crypto'

import { pathProblem } from '@svc/contract/common/deployed-paths'
import type { FunctionAssets as AssetsInput } from '@svc/contract/function-parts'

import type { FunctionAssets, HeaderRule, RedirectRule } from '../../../platform/ports/functions-engine.ts'
import { readHeaderRules, readRedirectRules, RULE_FILES } from './asset-rules.ts'
import { decodeBase64, type Report } from './base64.ts'

/** In the manifest of a version. The files themselves follow its modules in the blob, after a list of them. */
export type AssetsManifest = Omit<FunctionAssets, 'files' | 'headers' | 'redirects'> & {
  count: number
  /** The size of all files together. */
  bytes: number
  /** The size of the list. */
  listBytes: number
}
/** What the list contains for each file. */
type Listed = { path: string; type: string; etag: string; size: number }
/** Versions that were deployed before there were rules have a list of files only. */
type StoredList = Listed[] | { files: Listed[]; headers: HeaderRule[]; redirects: RedirectRule[] }
export type ContentTypeOf = (path: string) => { type: string }

const RULE = /^!?\/\S{0,255}$/
const PATH_LENGTH_MAX = 512

/** Checks static files. Returns what is stored: the list, then every file. Rules that have no effect are warnings. */
export function readAssets(
  input: AssetsInput,
  contentTypeOf: ContentTypeOf,
  report: Report,
): { manifest: AssetsManifest; contents: Buffer[]; warnings: string[] } {
  const seen = new Set<string>()
  const listed: Listed[] = []
  const contents: Buffer[] = []
  let headers = readHeaderRules('')
  let redirects = readRedirectRules('')
  for (const [index, { path, content }] of input.files.entries()) {
    const at = `$.assets.files[${index}]`
    const wrong = pathProblem(path) ?? (seen.has(path) ? 'occurs twice' : undefined)
    if (wrong !== undefined) report(`${at}.path`, wrong)
    else if (path.length > PATH_LENGTH_MAX)
      report(`${at}.path`, `must have at most ${PATH_LENGTH_MAX} characters`)
    seen.add(path)
    const bytes = decodeBase64(content, `${at}.content`, report)
    if (path === RULE_FILES.headers) headers = readHeaderRules(bytes.toString())
    if (path === RULE_FILES.redirects) redirects = readRedirectRules(bytes.toString())
    if (path === RULE_FILES.headers || path === RULE_FILES.redirects) continue
    contents.push(bytes)
    const etag = hash('sha256', bytes).slice(0, 32)
    listed.push({ path, type: contentTypeOf(path).type, etag, size: bytes.length })
  }
  const { notFoundHandling = 'none', htmlHandling = 'auto-trailing-slash', runWorkerFirst = false } = input
  if (typeof runWorkerFirst !== 'boolean')
    for (const [index, rule] of runWorkerFirst.entries())
      if (!RULE.test(rule)) report(`$.assets.runWorkerFirst[${index}]`, 'must begin with / or !/')
  const stored: StoredList = { files: listed, headers: headers.rules, redirects: redirects.rules }
  const list = Buffer.from(JSON.stringify(stored))
  const manifest = {
    notFoundHandling,
    htmlHandling,
    runWorkerFirst,
    count: listed.length,
    bytes: listed.reduce((sum, { size }) => sum + size, 0),
    listBytes: list.length,
  }
  return { manifest, contents: [list, ...contents], warnings: [...headers.warnings, ...redirects.warnings] }
}

/** The files of a stored version; `bytes` begins with the list. */
export function storedAssets(manifest: AssetsManifest, bytes: Buffer): FunctionAssets {
  const { notFoundHandling, htmlHandling, runWorkerFirst, listBytes } = manifest
  const list = JSON.parse(bytes.subarray(0, listBytes).toString()) as StoredList
  const {
    files: listed,
    headers,
    redirects,
  } = Array.isArray(list) ? { files: list, headers: [], redirects: [] } : list
  let start = listBytes
  const files = listed.map(({ size, ...file }) => ({
    ...file,
    content: bytes.subarray(start, (start += size)),
  }))
  return { files, notFoundHandling, htmlHandling, runWorkerFirst, headers, redirects }
}
