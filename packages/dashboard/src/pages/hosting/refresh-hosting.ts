import { refresh } from '../../queries.ts'

/** After a version was uploaded, activated or promoted: requests everything again that shows versions or which one is live. */
export const refreshHosting = () =>
  refresh('readHosting', 'listDeployments', 'listActivations', 'listAudit', 'readOverview', 'listProjects')
