import type { EnvironmentName } from '@svc/contract/common-schemas'
import type { ProjectView } from '@svc/contract/projects'
import { useLocation } from 'preact-iso'

/** Addresses: /dashboard/<slug>/<environment>/<page>/<id>?filters. Everything that can be seen has one. */
export const BASE = '/dashboard'

export type Query = Record<string, string | undefined>
export type PlaceParams = { projectId: string; env: EnvironmentName }
type GoOptions = { replace?: boolean }

/** Where the person is: read from the address. */
export type Place = {
  project: ProjectView
  env: EnvironmentName
  page: string
  id: string
  query: Record<string, string>
  /** The path parameters of calls that belong to an environment. */
  params: PlaceParams
  /** The address of a page of this environment. */
  href(page: string, id?: string, query?: Query): string
  go(page: string, id?: string, query?: Query, options?: GoOptions): void
}

export const environmentTitle = (env: EnvironmentName) =>
  env === 'production' ? 'Production' : 'Development'
/** Buttons that change something in production say so. */
export const inProduction = ({ env }: Pick<Place, 'env'>) => (env === 'production' ? ' in production' : '')

export function address(parts: readonly string[], query: Query = {}): string {
  const path = [BASE, ...parts.filter(Boolean).map(encodeURIComponent)].join('/')
  const search = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1])),
  ).toString()
  return search ? `${path}?${search}` : path
}

/** The parts of the address below `/dashboard`, decoded. */
export function usePath(): string[] {
  const { path } = useLocation()
  return path.slice(BASE.length).split('/').filter(Boolean).map(decode)
}

export function usePlace(projects: readonly ProjectView[]): Place | undefined {
  const { query, route } = useLocation()
  const [slug = '', env = '', page = 'overview', id = ''] = usePath()
  const project = projects.find((one) => one.slug === slug)
  if (!project || (env !== 'development' && env !== 'production')) return undefined
  const href: Place['href'] = (toPage, toId = '', toQuery) => address([slug, env, toPage, toId], toQuery)
  return {
    project,
    env,
    page,
    id,
    query,
    params: { projectId: project.id, env },
    href,
    go: (toPage, toId, toQuery, { replace = false } = {}) => route(href(toPage, toId, toQuery), replace),
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
