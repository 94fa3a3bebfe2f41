import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { ProjectEntry } from '@svc/contract/developers/projects'
import { useLocation } from 'preact-iso'

/** Addresses: /dashboard/<slug>/<environment>/<page>/<id>?filters. Everything that can be seen has one. */
export const BASE = '/dashboard'

/** Filters of a page; one that is empty is left out of the address. */
export type Query = Record<string, string | undefined>
/** The path parameters of calls that belong to an environment. */
export type EnvironmentParams = { projectId: string; env: EnvironmentName }
type GoOptions = { replace?: boolean }

/** The page of an environment that is open, as its address says, and the addresses of others. */
export type Route = {
  project: ProjectEntry
  env: EnvironmentName
  page: string
  id: string
  query: Record<string, string>
  params: EnvironmentParams
  /** The address of a page of this environment. */
  href(page: string, id?: string, query?: Query): string
  go(page: string, id?: string, query?: Query, options?: GoOptions): void
}

/** The name of an environment as text. */
export const environmentTitle = (env: EnvironmentName) =>
  env === 'production' ? 'Production' : 'Development'
/** Buttons that change something in production say so. */
export const inProduction = ({ env }: Pick<Route, 'env'>) => (env === 'production' ? ' in production' : '')

/** The address of a page: parts of the path below `/dashboard`, and filters. */
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

/** Reads the address; undefined if it belongs to no project of the developer. */
export function useRoute(projects: readonly ProjectEntry[]): Route | undefined {
  const { query, route: goTo } = useLocation()
  const [slug = '', env = '', page = 'overview', id = ''] = usePath()
  const project = projects.find((one) => one.slug === slug)
  if (!project || (env !== 'development' && env !== 'production')) return undefined
  const href: Route['href'] = (toPage, toId = '', toQuery) => address([slug, env, toPage, toId], toQuery)
  return {
    project,
    env,
    page,
    id,
    query,
    params: { projectId: project.id, env },
    href,
    go: (toPage, toId, toQuery, { replace = false } = {}) => goTo(href(toPage, toId, toQuery), replace),
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
