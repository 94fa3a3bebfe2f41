import { ApiError } from '../../../platform/api-error.ts'
import type { PageResponse } from '../../../platform/http/responses.ts'
import type { BuiltFolder } from '../files/built-folder.ts'
import type { Page } from '../pages.ts'

const TARBALL = /^svc-[a-z]+-[\w.+-]+\.tgz$/
/** Names without the version, for commands that people type. */
const WITHOUT_VERSION = /^svc-(?:cli|sdk)(?=\.tgz$)/

/** The CLI and the SDK of this version as npm installs them, so that a game needs nothing but the URL of the service. */
export function packagePages(page: Page, { latest }: BuiltFolder, version: string) {
  const file = async (name: string, type: string): Promise<PageResponse> => {
    const body = await (await latest())(name)
    if (!body) throw new ApiError('not_found')
    // The packages of a checkout change without a new version.
    return { type, headers: { 'Cache-Control': 'no-cache' }, body }
  }
  const index = () => file('index.json', 'application/json; charset=utf-8')

  page('/packages', index)
  page('/packages/', index)
  page('/packages/:file', async ({ params }) => {
    const { file: given = '' } = params
    const name = given.replace(WITHOUT_VERSION, `$&-${version}`)
    if (!TARBALL.test(name)) throw new ApiError('not_found')
    return file(name, 'application/gzip')
  })
}
