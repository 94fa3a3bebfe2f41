import type { Ask } from './output/ask.ts'
import { Failure } from './output/failure.ts'
import type { Output } from './output/output.ts'
import { findWorkspace } from './project/workspace.ts'
import { DEFAULT_URL, environmentOf, environmentOfKey, serviceUrl } from './service/address.ts'
import { createCalls, type ProjectEnvironment } from './service/calls.ts'
import { createService } from './service/service.ts'
import { openCredentials } from './sign-in/credentials.ts'
import { createSession } from './sign-in/session.ts'
import type { System } from './system.ts'

export type GlobalOptions = { url?: string; env?: string; project?: string; token?: string; json?: boolean }

export type Context = ReturnType<typeof openContext>

/** What every command uses: the service URL, the project, the environment and the session. */
export function openContext(system: System, out: Output, ask: Ask, options: GlobalOptions) {
  const { variables } = system
  const workspace = findWorkspace(system.folder)
  const url = serviceUrl(options.url ?? (variables['SVC_URL'] || workspace.url || DEFAULT_URL))
  const secretKey = variables['SVC_KEY']?.trim() || undefined
  const env = chosenEnvironment(options.env, secretKey)

  const service = createService(url)
  const credentials = openCredentials(system)
  const session = createSession({
    url,
    service,
    credentials,
    randomText: system.randomText,
    givenToken: options.token ?? (variables['SVC_TOKEN']?.trim() || undefined),
  })
  const calls = createCalls({
    service,
    session,
    secretKey,
    envFileKey: (of) => workspace.secretKeys[of],
    resolveEnvironment,
  })

  const projectName = options.project ?? (variables['SVC_PROJECT'] || workspace.projectId)
  let found: Promise<string> | undefined

  async function resolveEnvironment(): Promise<ProjectEnvironment> {
    found ??= projectId(projectName)
    return { projectId: await found, env }
  }

  async function projectId(name: string | undefined): Promise<string> {
    if (name === undefined) {
      throw new Failure(
        'usage',
        'No project found: there is no .svc/project.json, and SVC_PROJECT is not set.',
        {
          fix: 'Change to the project folder, use --project, or create a project: svc new <folder>, or svc init in this one',
        },
      )
    }
    if (name.startsWith('prj_')) return name
    const { projects } = await calls.developer('listProjects', {})
    const project = projects.find(({ slug }) => slug === name)
    if (project) return project.id
    throw new Failure('usage', `This account has no project ${name}.`, {
      fix: `It has: ${projects.map(({ slug }) => slug).join(', ') || 'none'}`,
    })
  }

  return {
    system,
    out,
    ask,
    workspace,
    url,
    env,
    hasSecretKey: secretKey !== undefined,
    session,
    credentials,
    calls,
    resolveEnvironment,
  }
}

function chosenEnvironment(option: string | undefined, secretKey: string | undefined) {
  if (secretKey === undefined) return environmentOf(option ?? 'development')
  const ofKey = environmentOfKey(secretKey)
  if (option === undefined || environmentOf(option) === ofKey) return ofKey
  throw new Failure('usage', `SVC_KEY is a ${ofKey} key, but --env is ${option}.`, {
    fix: 'Leave --env out, or set SVC_KEY to that environment’s key.',
  })
}
