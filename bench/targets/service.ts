import { join } from 'node:path'

import { freePort, freshFolder, type Server, startServer } from '../processes.ts'
import type { Request } from './requests.ts'

const HERE = join(import.meta.dirname, '../..')
const PROGRAM = 'packages/server/bin/svc-server.js'

export type ServiceOptions = {
  dataDir?: string
  engines?: { DATABASE_URL: string; REDIS_URL: string }
  settings?: Record<string, string>
  nodeArgs?: string[]
  /** Folder of another checkout than this one. */
  checkout?: string
  /** How many files the service may open. */
  filesMax?: number
  /** Gets the log and the banner. */
  output?: (text: string) => void
}

/** Starts the service like an operator, by default on embedded engines. Only the rate limits are turned off. */
export async function startService({
  dataDir = freshFolder(),
  engines,
  settings: chosen = {},
  nodeArgs = [],
  checkout = HERE,
  filesMax,
  output,
}: ServiceOptions = {}): Promise<Server> {
  const port = await freePort()
  const settings = {
    SVC_DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    SVC_RATE_LIMITS: 'off',
    // Tokens contain the base URL, and must stay valid when the service is restarted on another port.
    SVC_BASE_URL: 'http://localhost:8787',
    PORT: String(port),
  }
  const args = [...nodeArgs, join(checkout, PROGRAM)]
  const limited = filesMax !== undefined && {
    program: 'prlimit',
    args: [`--nofile=${filesMax}:${filesMax}`, process.execPath, ...args],
  }
  return startServer({
    args,
    env: { ...settings, ...engines, ...chosen },
    port,
    path: '/healthz',
    output,
    ...limited,
  })
}

/** What the service says of itself: a metric without labels. */
export async function metricOf(port: number, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(await response.text()) ?? []
  return Number(value)
}

const PROJECTS = 10

/** A config of a small game, about a kilobyte. */
const CONFIG = {
  version: 1,
  features: { saves: true, stats: true, multiplayer: true },
  stats: Array.from({ length: 10 }, (_, i) => ({
    key: `stat_${i}`,
    title: { en: `Statistic number ${i}`, de: `Statistik Nummer ${i}` },
    aggregation: 'max',
  })),
}

/** The requests of the entries. */
export type Requests = Record<'readConfig' | 'noKey' | 'validKey' | 'revokedKey' | 'listProjects', Request>

/** Creates a developer with ten projects, pushes a config to production of one project, and revokes one key. */
export async function seed({ port }: Server): Promise<Requests> {
  const account = { email: 'bench@example.com', password: 'correct horse battery' }
  const { token } = await call<{ token: string }>(port, 'POST', '/v1/developers/signup', {}, account)
  const developer = { authorization: `Bearer ${token}` }

  const projects: NewProject[] = []
  for (let i = 1; i <= PROJECTS; i++) {
    projects.push(await call(port, 'POST', '/v1/projects', developer, { name: `Project number ${i}` }))
  }
  const [first, second, third] = projects
  const [full, empty, revoked] = [secretKey(first), secretKey(second), secretKey(third)]
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': full.key }, CONFIG)
  await call(port, 'DELETE', `/v1/projects/${third?.project.id}/keys/${revoked.id}`, developer)

  return {
    readConfig: { path: '/v1/config', headers: { 'x-svc-key': full.key }, status: 200 },
    noKey: { path: '/healthz', headers: {}, status: 200 },
    validKey: { path: '/v1/config', headers: { 'x-svc-key': empty.key }, status: 200 },
    revokedKey: { path: '/v1/config', headers: { 'x-svc-key': revoked.key }, status: 401 },
    listProjects: { path: '/v1/projects', headers: developer, status: 200 },
  }
}

type NewKey = { id: string; environment: string; type: string; key: string }
type NewProject = { project: { id: string }; keys: NewKey[] }

const secretKey = (project: NewProject | undefined): NewKey => keyOf(project, 'secret')

function keyOf(project: NewProject | undefined, wanted: string, of = 'production'): NewKey {
  const key = project?.keys.find(({ environment, type }) => environment === of && type === wanted)
  if (!key) throw new Error(`a new project came without a ${wanted} key of ${of}`)
  return key
}

/** Creates a developer with one project; returns the keys of one environment, and the headers of the developer. */
export async function newProject(port: number, name: string, environment = 'production') {
  const account = { email: `${name.toLowerCase()}@example.com`, password: 'correct horse battery' }
  const { token } = await call<{ token: string }>(port, 'POST', '/v1/developers/signup', {}, account)
  const developer = { authorization: `Bearer ${token}` }
  const project = await call<NewProject>(port, 'POST', '/v1/projects', developer, { name })
  return {
    publishable: keyOf(project, 'publishable', environment).key,
    secret: keyOf(project, 'secret', environment).key,
    developer,
    projectId: project.project.id,
  }
}

export async function call<T>(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
