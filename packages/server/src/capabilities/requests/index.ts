export { createRequests } from './requests.ts'
export { createRequestRing } from './ring.ts'
export { requestsRoutes } from './routes.ts'
