import { existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

import { LIMITS } from '@svc/contract/common/limits'
import type { FunctionAssets } from '@svc/contract/function-parts'

import { Failure } from '../output/failure.ts'
import { bytesText } from '../output/output.ts'
import { readSite } from '../site/site.ts'
import type { AssetsProject } from './project.ts'

const IGNORE_FILE = '.assetsignore'

/** The static files of a project. The service reads the rules in `_headers` and `_redirects`. */
export async function readAssets({ folder, options }: AssetsProject): Promise<FunctionAssets> {
  if (!existsSync(folder))
    throw new Failure('usage', `assets.directory names ${folder}, which does not exist.`, {
      fix: 'Build the app first, or correct the wrangler file.',
    })
  const isIgnored = ignoredBy(join(folder, IGNORE_FILE))
  const { files } = await readSite(folder, { projectFolder: folder, suggested: () => folder })
  const served = files.filter(({ path }) => path !== IGNORE_FILE && !isIgnored(path))
  requireSize(
    folder,
    served.map(({ size }) => size),
  )
  return {
    ...options,
    files: served.map(({ path, source }) => ({ path, content: readFileSync(source).toString('base64') })),
  }
}

function requireSize(folder: string, sizes: readonly number[]) {
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const [filesMax, bytesMax] = [LIMITS.functionsAssetsMax, LIMITS.functionsModuleBytesMax]
  if (sizes.length <= filesMax && bytes <= bytesMax) return
  throw new Failure(
    'usage',
    `${folder} has ${sizes.length} files with ${bytesText(bytes)}; functions may have ${filesMax} files, and ${bytesText(bytesMax)} together with the code.`,
    { fix: 'Host large files as an app: svc deploy. Its pages call the functions at /.fn/.' },
  )
}

/** The lines of a file like `.gitignore`; the last one that matches decides. */
function ignoredBy(file: string): (path: string) => boolean {
  const rules = (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const isKept = line.startsWith('!')
      const name = line.replace(/^!/, '').replace(/\/$/, '')
      return { isKept, pattern: name.includes('/') ? name.replace(/^\//, '') : `**/${name}` }
    })
  return (path) => {
    const last = rules.findLast(
      ({ pattern }) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`),
    )
    return last !== undefined && !last.isKept
  }
}
