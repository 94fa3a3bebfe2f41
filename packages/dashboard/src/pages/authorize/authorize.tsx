import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { ProjectEntry } from '@svc/contract/developers/projects'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { counted } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { environmentTitle } from '../../route.ts'
import { submits, useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { WarningIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Card, Facts } from '../../ui/parts.tsx'
import { ProofField, useProof } from '../../ui/proof-field.tsx'
import { ErrorNotice, Loaded } from '../../ui/states.tsx'
import { READS, ToolChoice } from '../agents/tool-choice.tsx'

type Asked = ResponseOf<'findAuthorization'>

/**
 * A client of agents has opened this page (`/oauth/authorize`) and asks to act for the developer. Only a click leaves the page: a
 * client that asks wrongly does not lead anybody to its own address by itself.
 */
export default function Authorize() {
  const query = location.search.slice(1)
  const asked = useCall('findAuthorization', { body: { query } })
  const projects = useCall('listProjects', {})
  return (
    <Page title="Connect an agent" class="narrow">
      {asked.error?.code === 'authorization_invalid' ? (
        <Card title="This request cannot be granted">
          <p>{String(asked.error.details['reason'])}. Start again in the program that opened this page.</p>
        </Card>
      ) : (
        <Loaded answer={asked} inCard>
          {(found) =>
            found.problem === null ? (
              <Loaded answer={projects} inCard>
                {({ projects: all }) => <Consent asked={found} query={query} projects={all} />}
              </Loaded>
            ) : (
              <Card title="This request cannot be granted">
                <div class="form">
                  <p>{found.problem}.</p>
                  <LeaveButton asked={found}>Go back to {found.redirect.host}</LeaveButton>
                </div>
              </Card>
            )
          }
        </Loaded>
      )}
    </Page>
  )
}

const LeaveButton = ({ asked, children }: { asked: Asked; children: ComponentChildren }) => (
  <Button onClick={() => location.assign(asked.refuseTo)}>{children}</Button>
)

const ENVIRONMENTS: readonly EnvironmentName[] = ['development', 'production']

type Props = { asked: Asked; query: string; projects: readonly ProjectEntry[] }

function Consent({ asked, query, projects }: Props) {
  const allowed = projects.filter((project) =>
    isAllowed('grantAuthorization', { project, env: 'development' }),
  )
  const [projectId, setProjectId] = useState(allowed[0]?.id ?? '')
  const [env, setEnv] = useState<EnvironmentName>('development')
  const [tools, setTools] = useState<ReadonlySet<string>>(new Set())
  const proof = useProof()
  const asksForProof = env === 'production' && tools.size > 0
  const allow = useAction(
    async () => {
      const { redirectTo } = await call('grantAuthorization', {
        params: { projectId, env },
        body: { query, tools: [...tools], ...(asksForProof && proof.proof) },
      })
      location.assign(redirectTo)
    },
    undefined,
    proof.spend,
  )

  return (
    <Card title="A program wants to act for you">
      <form class="form is-wide" onSubmit={submits(allow.run)}>
        <ClientFacts asked={asked} />
        <Field
          label="Project"
          problem={allowed.length === 0 ? 'You have no project that you can connect an agent to.' : undefined}
        >
          {(id, describedBy) => (
            <Select
              id={id}
              aria-describedby={describedBy}
              value={projectId}
              items={allowed.map((one) => ({ id: one.id, title: one.name }))}
              change={setProjectId}
            />
          )}
        </Field>
        <Field label="Environment" hint="It has no access outside this environment.">
          {(id, describedBy) => (
            <Select
              id={id}
              aria-describedby={describedBy}
              value={env}
              items={ENVIRONMENTS.map((name) => ({ id: name, title: environmentTitle(name) }))}
              change={(name) => setEnv(name === 'production' ? 'production' : 'development')}
            />
          )}
        </Field>
        <fieldset class="tool-group">
          <legend>Reads</legend>
          <p class="small soft">{READS}</p>
        </fieldset>
        <details>
          <summary>
            {tools.size === 0
              ? 'Add tools that change something'
              : `${counted(tools.size, 'tool', 'tools')} added`}
          </summary>
          <div class="form is-wide">
            <ToolChoice env={env} chosen={tools} choose={setTools} />
          </div>
        </details>
        {asksForProof && <ProofField of={proof} hint="Required to change something in production." />}
        {allow.error && <ErrorNotice error={allow.error} />}
        <div class="row">
          <Button
            type="submit"
            kind="main"
            busy={allow.busy}
            disabled={projectId === '' || (asksForProof && !proof.proof)}
          >
            Allow
          </Button>
          <LeaveButton asked={asked}>Refuse</LeaveButton>
        </div>
      </form>
    </Card>
  )
}

/** What is known of the client. Its name is its own claim, so the hosts stand beside it. */
const ClientFacts = ({ asked: { client, redirect } }: { asked: Asked }) => (
  <>
    <Facts
      rows={[
        ['Name', <bdi>{client.name}</bdi>],
        ['Described by', client.host ?? 'this service’s operator'],
        [
          'Redirects to',
          redirect.isThisComputer ? `a program on this computer (${redirect.host})` : redirect.host,
        ],
        ['Valid for', '30 days, or until you revoke it on the Agents page'],
      ]}
    />
    <p class="row">
      <Icon of={WarningIcon} size={18} />
      <span>
        Allow this only if you just started it in a program you trust. Any program can use any name.
      </span>
    </p>
  </>
)
