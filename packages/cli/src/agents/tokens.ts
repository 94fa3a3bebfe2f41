import { Failure } from '../output/failure.ts'
import { sameService } from '../service/address.ts'
import type { ProjectEnvironment } from '../service/calls.ts'
import { openPrivateFile } from '../sign-in/private-file.ts'
import type { System, Variables } from '../system.ts'

/** The agent of one environment on this machine. */
export type StoredAgent = { id: string; label: string; token: string; expiresAt: string }

const MAKE_ONE = 'Run: svc agent login'

/** The tokens of agents, which only the user may read; one for each environment. */
export function openAgentTokens(system: System) {
  const { path, readAll, writeAll } = openPrivateFile<StoredAgent>(system, {
    name: 'agents.json',
    member: 'agents',
    command: 'svc agent login',
  })
  const placeOf = (url: string, { projectId, env }: ProjectEnvironment) =>
    `${sameService(url)} ${projectId} ${env}`

  return {
    path,
    find: (url: string, at: ProjectEnvironment): StoredAgent | undefined => readAll()[placeOf(url, at)],
    save: (url: string, at: ProjectEnvironment, agent: StoredAgent) =>
      writeAll({ ...readAll(), [placeOf(url, at)]: agent }),
    /** Forgets the agent with this id, wherever it is used. */
    async remove(id: string) {
      const all = Object.entries(readAll())
      const others = all.filter(([, agent]) => agent.id !== id)
      if (others.length < all.length) await writeAll(Object.fromEntries(others))
    },
  }
}

/** SVC_AGENT_TOKEN, if it is set. Keys and sessions can do more than an agent may, so they are refused. */
export function givenAgentToken(variables: Variables): string | undefined {
  const token = variables['SVC_AGENT_TOKEN']?.trim()
  if (!token || /^agt_\w+$/.test(token)) return token || undefined
  const what = KINDS.find(([prefix]) => token.startsWith(prefix))?.[1] ?? 'not an agent’s token'
  throw new Failure('usage', `SVC_AGENT_TOKEN is ${what}; agent tokens start with agt_.`, {
    fix: `Unset it, or create an agent. ${MAKE_ONE}`,
  })
}

const KINDS = [
  ['sk_', 'a secret key, which can do everything in its environment'],
  ['kds_', 'your developer session, which can do everything that you can'],
  ['pk_', 'a publishable key'],
] as const

/** The failure if there is no token for the environment, or its time is over. */
export const noAgent = ({ env }: ProjectEnvironment, problem: 'none' | 'ended'): Failure =>
  new Failure(
    'signIn',
    problem === 'none'
      ? `This machine has no ${env} agent for this project.`
      : `This project’s ${env} agent has expired.`,
    { fix: env === 'production' ? `${MAKE_ONE} --env production` : MAKE_ONE },
  )
