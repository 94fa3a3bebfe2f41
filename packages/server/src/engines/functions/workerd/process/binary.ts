import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const PACKAGES: Record<string, string> = {
  'linux-x64': '@cloudflare/workerd-linux-64',
  'linux-arm64': '@cloudflare/workerd-linux-arm64',
}

/** The engine's program, and the newest compatibility date that it knows. */
export type Binary = { path: string; compatibilityDate: string }

/** Undefined where there is no engine for this platform, or its optional package is not installed. */
export function findBinary(): Binary | undefined {
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  if (!name) return undefined
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    return { path: join(dirname(manifest), 'bin/workerd'), compatibilityDate: dateOf(version) }
  } catch {
    return undefined
  }
}

/** `1.20261104.1` → `2026-11-04` */
function dateOf(version: string): string {
  const [, day = ''] = version.split('.')
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}`
}
