export { savesRoutes } from './routes.ts'
export { createSaves } from './saves.ts'
export { createSaveStore } from './store.ts'
