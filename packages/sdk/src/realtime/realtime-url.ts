/** The URL of the WebSocket of a service; `url` may end with `/v1`. */
export const realtimeUrlOf = (url: string): string =>
  `${url.replace(/^http/, 'ws').replace(/(\/v1)?\/*$/, '')}/v1/realtime`
