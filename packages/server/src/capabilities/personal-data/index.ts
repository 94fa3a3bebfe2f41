export { createDataRequests } from './data-requests.ts'
export { personalDataRoutes } from './routes.ts'
