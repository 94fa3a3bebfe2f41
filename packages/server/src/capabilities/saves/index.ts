export { createAdminSaves } from './admin-saves.ts'
export { savesRoutes } from './routes.ts'
export { createSaves } from './saves.ts'
export { createSaveStore } from './store.ts'
