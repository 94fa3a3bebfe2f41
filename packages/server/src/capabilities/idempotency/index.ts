export { type IdempotentResponses, createIdempotentResponses } from './responses.ts'
export { createResponseStore } from './store.ts'
