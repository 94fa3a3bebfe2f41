// How many batches of queues are with the code. The service waits for them before it ends the process.
export const deliveries = { running: 0, isPaused: false }
