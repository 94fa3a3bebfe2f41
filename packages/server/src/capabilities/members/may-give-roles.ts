import { ApiError } from '../../platform/api-error.ts'
import type { MemberDeps } from './ports.ts'
import type { MemberStore, Transaction } from './store.ts'

/**
 * The project, if the developer is still its owner or an admin. The gate has checked that before; but an admin who was removed since
 * could give a role that lasts.
 */
export async function requireAdminNow(
  store: Pick<MemberStore, 'in'>,
  { projects }: Pick<MemberDeps, 'projects'>,
  transaction: Transaction,
  projectId: string,
  developerId: string,
) {
  const project = await projects(transaction).current(projectId)
  if (!project) throw new ApiError('project_not_found')
  if (project.developerId === developerId) return project
  const member = await store.in(transaction).find(projectId, developerId)
  if (!member) throw new ApiError('project_not_found')
  if (member.role !== 'admin')
    throw new ApiError('role_required', { role: member.role, requiredRole: 'admin' })
  return project
}
