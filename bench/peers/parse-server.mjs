// parse-server on PostgreSQL, configured for production as in its documentation: no logs, sessions cached.
import { parseArgs } from 'node:util'

import express from 'express'
import { ParseServer } from 'parse-server'

const { values } = parseArgs({ options: { port: { type: 'string' }, postgres: { type: 'string' } } })
const port = Number(values.port)

const server = new ParseServer({
  databaseURI: values.postgres,
  databaseOptions: { max: 10 },
  serverURL: `http://127.0.0.1:${port}/parse`,
  appId: 'bench',
  masterKey: 'bench-master-key',
  maintenanceKey: 'bench-maintenance-key',
  directAccess: true,
  enableAnonymousUsers: true,
  allowClientClassCreation: true,
  encodeParseObjectInCloudFunction: true,
  cacheTTL: 60_000,
  cacheMaxSize: 100_000,
  logsFolder: null,
  silent: true,
  verbose: false,
  logLevel: 'error',
})
await server.start()
express().disable('x-powered-by').use('/parse', server.app).listen(port, '127.0.0.1')
