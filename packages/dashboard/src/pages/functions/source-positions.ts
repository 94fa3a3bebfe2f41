import type { FunctionLogLine } from '@svc/contract/functions'
import { useEffect, useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { type FindSource, readSourceMap } from './source-map.ts'

type Deployment = ResponseOf<'listFunctionDeployments'>['deployments'][number]

/** Frames of the service around the code. */
const OWN_FRAME = /^\s+at .*\bsvc-(?:wrap|main)\.js\b/
const VERSIONS_MAX = 100
/** Versions whose map is loaded at the same time. */
const MAPS_MAX = 5

/** Returns the text of a line: without frames of the service, with the lines of the source where the deployment has a source map. */
export function useSourcePositions(
  route: Route,
  lines: readonly FunctionLogLine[],
): (line: FunctionLogLine) => string {
  const { data } = useCall('listFunctionDeployments', {
    params: route.params,
    query: { limit: VERSIONS_MAX },
  })
  const [maps, setMaps] = useState<ReadonlyMap<number, FindSource>>(new Map())
  const versionOf = (line: FunctionLogLine) => deploymentAt(data?.deployments ?? [], line.at)
  const missing = [...new Set(lines.filter(hasPosition).flatMap((line) => versionOf(line)?.version ?? []))]
    .slice(0, MAPS_MAX)
    .filter((version) => !maps.has(version))
  useEffect(() => {
    for (const version of missing)
      call('readFunctionSourceMap', { params: { ...route.params, version } }).then(
        ({ sourceMap }) => setMaps((known) => new Map(known).set(version, readSourceMap(sourceMap))),
        // Without it, lines of the deployed code are shown.
        () => setMaps((known) => new Map(known).set(version, () => undefined)),
      )
  }, [missing.join()])

  return (line) => {
    const deployment = versionOf(line)
    return withPositions(line.message, deployment?.modules[0]?.name, maps.get(deployment?.version ?? 0))
  }
}

const hasPosition = ({ message }: FunctionLogLine) => /:\d+:\d+/.test(message)

/** The version that was live at this time: deployments are sorted, the newest first. */
function deploymentAt(deployments: readonly Deployment[], at: string): Deployment | undefined {
  const live = deployments.find(({ createdAt }) => createdAt <= at)
  return live?.hasSourceMap ? live : undefined
}

/** The last frame of the service may be followed by the bracket of the properties of the error. */
function withPositions(message: string, module: string | undefined, find: FindSource | undefined): string {
  return message
    .split('\n')
    .map((line) => (OWN_FRAME.test(line) ? (line.endsWith(' {') ? ' {' : '') : `\n${line}`))
    .join('')
    .slice(1)
    .replace(/([\w./@+-]+):(\d+):(\d+)/g, (found, name: string, line: string, column: string) =>
      name === module ? (find?.(Number(line), Number(column)) ?? found) : found,
    )
}
