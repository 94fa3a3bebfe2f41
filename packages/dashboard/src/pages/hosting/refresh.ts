import { refresh } from '../../queries.ts'

/** After a change of versions. */
export const refreshHosting = () =>
  refresh('readHosting', 'listDeployments', 'listActivations', 'listAudit', 'readOverview', 'listProjects')
