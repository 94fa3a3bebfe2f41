export { createAudit } from './audit.ts'
export { auditRoutes } from './routes.ts'
export { createAuditStore } from './store.ts'
