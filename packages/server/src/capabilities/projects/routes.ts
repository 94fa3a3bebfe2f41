import * as contract from '@svc/contract/developers/projects'

import type { Route } from '../../edge/http/routes.ts'
import type { Keys } from './keys.ts'
import type { Overview } from './overview.ts'
import type { Projects } from './projects.ts'

export function projectsRoutes(route: Route, projects: Projects, keys: Keys, overview: Overview) {
  route(contract.listProjects, ({ developer }) => overview.list(developer))
  route(contract.createProject, ({ developer, actor, body }) => projects.create(developer, actor, body))
  route(contract.readProject, ({ project }) => projects.read(project))
  route(contract.renameProject, ({ project, actor, body }) => projects.rename(project, actor, body))
  route(contract.deleteProject, ({ project, actor }) => projects.remove(project, actor))

  route(contract.listKeys, async ({ environment }) => ({ keys: await keys.list(environment) }))
  route(contract.createKey, ({ environment, actor, body }) => keys.create(environment, actor, body))
  route(contract.relabelKey, ({ project, actor, params, body }) =>
    keys.relabel(project, params.keyId, actor, body),
  )
  route(contract.revokeKey, ({ project, actor, params }) => keys.revoke(project, params.keyId, actor))

  route(contract.readActivity, ({ environment, query }) => overview.activity(environment, query))
  route(contract.readOverview, ({ environment }) => overview.read(environment))
}
