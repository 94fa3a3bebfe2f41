import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { ProjectView } from '@svc/contract/developers/projects'

import type { CommandGroup } from '../command-line/command-group.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { printable, timeText } from '../output/output.ts'
import type { NewKey } from '../project/keys-file.ts'

/** Adds `svc projects`. The other functions of this file are for the commands that create or choose a project. */
export function addProjectsCommand(program: CommandGroup) {
  program.command('projects', 'list your projects and those shared with you', showProjects)
}

async function showProjects({ calls, out, workspace }: Context) {
  const { projects } = await calls.developer('listProjects', {})
  out.table(
    // The first column marks the project of this folder.
    ['', 'NAME', 'SLUG', 'ROLE', 'ID', 'CREATED'],
    projects.map(({ id, name, slug, role, createdAt }) => [
      id === workspace.projectId ? '●' : '',
      name,
      slug,
      role,
      id,
      timeText(createdAt),
    ]),
    'No projects. Create one: svc new <folder>, or svc init in an existing folder',
  )
  return { projects }
}

/** `keys` are those of a project that was just created; an existing project has none here, because keys are returned only once. */
export type ChosenProject = { project: ProjectView; keys: NewKey[] }

/** Creates a project, with its first keys; a retry of the request does not create a second one. */
export const createProjectNamed = ({ calls, system }: Context, name: string): Promise<ChosenProject> =>
  calls.developer('createProject', { body: { name } }, { idempotencyKey: system.randomText() })

/** `project` is a slug or an id. */
type ProjectOptions = { project?: string; name?: string; yes?: boolean }

/** The value of the choice “a new project”; no slug or id contains a plus sign. */
const NEW_PROJECT = '+'

/**
 * Returns the project of --project. Without that option it creates one with --name or --yes, and otherwise asks in the terminal for an
 * existing or a new one.
 */
export async function chooseProject(
  context: Context,
  { project: given, name, yes }: ProjectOptions,
  suggestedName: string,
): Promise<ChosenProject> {
  const { calls, ask } = context
  if (given === undefined && name !== undefined) return createProjectNamed(context, name)
  if (given === undefined && yes) return createProjectNamed(context, suggestedName)

  const { projects } = await calls.developer('listProjects', {})
  const slugOrId = given ?? (await askForProject(context, projects, suggestedName))
  if (slugOrId === NEW_PROJECT) {
    const title = await ask.text('Project name', '--name', suggestedName)
    return createProjectNamed(context, title)
  }
  const project = projects.find(({ slug, id }) => slug === slugOrId || id === slugOrId)
  if (project) return { project, keys: [] }
  throw new Failure('usage', `This account has no project ${slugOrId}.`, {
    fix: `It has: ${projects.map(({ slug }) => slug).join(', ') || 'none'}`,
  })
}

/** Returns the slug of the chosen project, or NEW_PROJECT. Without a terminal it fails and prints the options to use. */
async function askForProject(
  { ask }: Context,
  projects: readonly ProjectView[],
  suggestedName: string,
): Promise<string> {
  if (projects.length === 0 && ask.canAsk) return NEW_PROJECT
  return ask.choose(
    'Which project does this folder belong to?',
    '--yes (a new project), --name or --project',
    [
      { value: NEW_PROJECT, label: `a new project, "${suggestedName}"` },
      ...projects.map(({ name, slug }) => ({ value: slug, label: printable(name), hint: slug })),
    ],
  )
}

/** Creates a key of an environment for this folder; the label tells developers in the list of keys where it comes from. */
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

/** The name of a project that is suggested for a folder: `star-duel` → `Star Duel` */
export const titleOf = (folderName: string): string =>
  folderName
    .split(/[-_.\s]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
