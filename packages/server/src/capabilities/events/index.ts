export { createChanges } from './changes.ts'
export { createEvents } from './events.ts'
export { eventsRoutes } from './routes.ts'
