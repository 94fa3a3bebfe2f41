/**
 * `node:http` without its ES module, which reads every export when it is imported. Three of them load Node's own `fetch` and `WebSocket`:
 * 45 ms and 8 MB at every start.
 */
export const { Agent, createServer, request, STATUS_CODES, validateHeaderValue } =
  process.getBuiltinModule('node:http')
