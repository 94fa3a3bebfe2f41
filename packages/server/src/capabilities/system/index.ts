export { createBackups } from './backups.ts'
export { systemRoutes } from './routes.ts'
export { createSampler } from './sampler.ts'
export { createSystem } from './system.ts'
