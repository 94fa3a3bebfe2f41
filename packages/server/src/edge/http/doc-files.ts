import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ApiError } from '../../platform/api-error.ts'
import type { Page } from './pages.ts'

const NAME = /^[A-Za-z-]+\.md$/

/** The pages of docs/ as they are, for whoever reads Markdown; `/llms.txt` says which there are. */
export function docFiles(page: Page, folder: string) {
  const answer = async (path: string, type: string) => {
    const body = await readFile(join(folder, path), 'utf8').catch(() => {
      throw new ApiError('not_found')
    })
    return { type: `${type}; charset=utf-8`, headers: { 'Cache-Control': 'no-cache' }, body }
  }
  const markdown = async (within: string, name = '') => {
    if (!NAME.test(name)) throw new ApiError('not_found')
    return answer(join(within, name), 'text/markdown')
  }

  page('/llms.txt', () => answer('llms.txt', 'text/plain'))
  page('/docs/svc.config.schema.json', () => answer('svc.config.schema.json', 'application/schema+json'))
  page('/docs/:name', ({ params }) => markdown('.', params['name']))
  page('/docs/guide/:name', ({ params }) => markdown('guide', params['name']))
}
