export { createBlobStore } from './blobs-store.ts'
export { createHosting } from './hosting.ts'
export { hostingRoutes } from './routes.ts'
export { createHostingStore } from './store.ts'
