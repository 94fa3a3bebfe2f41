export { createPlayground } from './playground.ts'
export { playgroundRoutes } from './routes.ts'
export { createPlaygroundStore } from './store.ts'
