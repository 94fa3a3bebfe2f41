import type { EnvironmentName } from '@svc/contract/common/schemas'

/** Which environment a developer's call is about; a secret key implies it. */
export type InEnvironment = { params: { projectId: string; env: EnvironmentName } }
