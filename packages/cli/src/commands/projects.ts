import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { ProjectView } from '@svc/contract/developers/projects'

import type { CommandGroup } from '../command-line/command-group.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { shown, timeText } from '../output/output.ts'
import type { NewKey } from '../project/keys-file.ts'

/** Adds `svc projects`. */
export function addProjectsCommand(program: CommandGroup) {
  program.command('projects', 'list your projects', showProjects)
}

async function showProjects({ calls, out, workspace }: Context) {
  const { projects } = await calls.developer('listProjects', {})
  out.table(
    ['', 'NAME', 'SLUG', 'ID', 'CREATED'],
    projects.map(({ id, name, slug, createdAt }) => [
      id === workspace.projectId ? '●' : '',
      name,
      slug,
      id,
      timeText(createdAt),
    ]),
    'No projects. Create one: svc new <folder>, or svc init in an existing folder',
  )
  return { projects }
}

/** Creates a project; a retry of the request does not create a second one. */
export const createProjectNamed = ({ calls, system }: Context, name: string) =>
  calls.developer('createProject', { body: { name } }, { idempotencyKey: system.randomText() })

/** A new key of an environment, for this folder. */
export async function createKeyFor(
  { calls, system }: Context,
  projectId: string,
  environment: EnvironmentName,
  type: NewKey['type'],
): Promise<NewKey> {
  const { plaintext } = await calls.developer(
    'createKey',
    { params: { projectId, env: environment }, body: { type, label: 'svc link' } },
    { idempotencyKey: system.randomText() },
  )
  return { environment, type, key: plaintext }
}

type ProjectChoice = { project?: string; name?: string; yes?: boolean }
/** `keys` are those of a project that was just created. */
export type Chosen = { project: ProjectView; keys: NewKey[] }

/** Returns the project of the options, or one chosen in the terminal; without --project it may be a new one. */
export async function chooseProject(
  context: Context,
  { project: given, name, yes }: ProjectChoice,
  suggestedName: string,
): Promise<Chosen> {
  const { calls, ask } = context
  const create = (title: string) => createProjectNamed(context, title)
  if (given === undefined && name !== undefined) return create(name)
  if (given === undefined && yes) return create(suggestedName)

  const { projects } = await calls.developer('listProjects', {})
  const slug = given ?? (await askFor(context, projects, suggestedName))
  if (slug === NEW) {
    return create(await ask.text('Name of the project', '--name', suggestedName))
  }
  const project = projects.find((one) => one.slug === slug || one.id === slug)
  if (project) return { project, keys: [] }
  throw new Failure('usage', `This account has no project ${slug}.`, {
    fix: `It has: ${projects.map((one) => one.slug).join(', ') || 'none'}`,
  })
}

const NEW = '+'

function askFor({ ask }: Context, projects: readonly ProjectView[], suggestedName: string): Promise<string> {
  if (projects.length === 0 && ask.canAsk) return Promise.resolve(NEW)
  return ask.choose('Which project is this folder?', '--yes (a new project), --name or --project', [
    { value: NEW, label: `a new project, "${suggestedName}"` },
    ...projects.map(({ name, slug }) => ({ value: slug, label: shown(name), hint: slug })),
  ])
}

/** `star-duel` → `Star Duel` */
export const titleOf = (name: string): string =>
  name
    .split(/[-_.\s]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
