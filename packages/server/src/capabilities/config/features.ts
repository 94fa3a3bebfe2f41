import type { Feature } from '@svc/contract/config/config'
import type { Config } from '@svc/contract/config/defaults'
import type { ConfigDocument } from '@svc/contract/config/document'
import { type Switch, SWITCHES, switchedAt } from '@svc/contract/config/switches'

/** Keys of switches that the operator does not offer (`SVC_UNAVAILABLE_FEATURES`). */
export type Unavailable = ReadonlySet<string>

/** Problems by the key of a feature. */
export type FeatureProblems = ReadonlyMap<string, readonly string[]>

/** CFG-21 */
export const featuresOf = (
  document: ConfigDocument,
  config: Config,
  unavailable: Unavailable,
  /** `hasFunctions`: functions are not turned on in the document. */
  { problems, hasFunctions }: { problems: FeatureProblems; hasFunctions: boolean },
): Feature[] =>
  SWITCHES.map((feature) => ({
    ...feature,
    source: sourceOf(feature, document, unavailable),
    enabled: feature.configPath === null ? hasFunctions : (switchedAt(config, feature) ?? false),
    ...(problems.has(feature.key) && { problems: [...(problems.get(feature.key) ?? [])] }),
  }))

function sourceOf(feature: Switch, document: ConfigDocument, unavailable: Unavailable): Feature['source'] {
  if (unavailable.has(feature.key)) return 'operator'
  if (feature.configPath === null) return 'operation'
  return switchedAt(document, feature) === undefined ? 'default' : 'config'
}

/** The first switch that a document turns on although it is not offered (GEN-43). */
export const unavailableIn = (document: ConfigDocument, unavailable: Unavailable): Switch | undefined =>
  SWITCHES.find((feature) => unavailable.has(feature.key) && switchedAt(document, feature))

/** Features that the operator does not offer are off, even if they were pushed earlier or are on by default (GEN-42). */
export function withoutUnavailable(config: Config, unavailable: Unavailable): Config {
  const offered = structuredClone(config)
  for (const feature of SWITCHES) if (unavailable.has(feature.key)) switchOff(offered, feature)
  return offered
}

function switchOff(config: Config, { configPath }: Switch) {
  const names = configPath?.split('.') ?? []
  const last = names.pop()
  let section: object = config
  for (const name of names) section = Reflect.get(section, name)
  if (last !== undefined) Reflect.set(section, last, false)
}
