import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { ProjectView } from '@svc/contract/developers/projects'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import { environmentTitle } from '../../route.ts'
import { submits, useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Check, Field, PasswordField, Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { WarningIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Card, Facts } from '../../ui/parts.tsx'
import { ErrorNotice, Loaded } from '../../ui/states.tsx'

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
          <p>
            {String(asked.error.details['reason'])}. Start again in the program that has opened this page.
          </p>
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

type Props = { asked: Asked; query: string; projects: readonly ProjectView[] }

function Consent({ asked, query, projects }: Props) {
  const [projectId, setProjectId] = useState(projects[0]?.id ?? '')
  const [env, setEnv] = useState<EnvironmentName>('development')
  const [tools, setTools] = useState<readonly string[]>([])
  const [password, setPassword] = useState('')
  const me = useCall('readMe', {})
  const hasPassword = me.data?.developer.hasPassword === true
  const needsPassword = env === 'production' && tools.length > 0
  const allow = useAction(async () => {
    const { redirectTo } = await call('grantAuthorization', {
      params: { projectId, env },
      body: { query, tools: [...tools], ...(needsPassword && { password }) },
    })
    location.assign(redirectTo)
  })
  const toggle = (name: string) => (isChosen: boolean) =>
    setTools(isChosen ? [...tools, name] : tools.filter((one) => one !== name))

  return (
    <Card title="A program wants to act for you">
      <form class="form" onSubmit={submits(allow.run)}>
        <ClientFacts asked={asked} />
        <Field label="Project">
          {(id) => (
            <Select
              id={id}
              value={projectId}
              items={projects.map((one) => ({ id: one.id, title: one.name }))}
              change={setProjectId}
            />
          )}
        </Field>
        <Field label="Environment" hint="It can do nothing outside of this environment.">
          {(id) => (
            <Select
              id={id}
              value={env}
              items={ENVIRONMENTS.map((name) => ({ id: name, title: environmentTitle(name) }))}
              change={(name) => setEnv(name === 'production' ? 'production' : 'development')}
            />
          )}
        </Field>
        <details>
          <summary>
            {tools.length === 0 ? 'It may only read' : `It may read, and use ${tools.length} tools`}
          </summary>
          <p class="small soft">Tools that delete, or that change what players get, ask you each time.</p>
          {asked.tools.map((name) => (
            <div key={name}>
              <Check checked={tools.includes(name)} change={toggle(name)}>
                <code>{name}</code>
              </Check>
            </div>
          ))}
        </details>
        {needsPassword &&
          (hasPassword ? (
            <PasswordField hint="To change something in production." value={password} change={setPassword} />
          ) : (
            <p role="alert">
              Set a password on the page Account first: it is needed to change something in production.
            </p>
          ))}
        {allow.error && <ErrorNotice error={allow.error} />}
        <div class="row">
          <Button
            type="submit"
            kind="main"
            busy={allow.busy}
            disabled={projectId === '' || (needsPassword && password === '')}
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
        ['Described by', client.host ?? 'the operator of this service'],
        [
          'Leads to',
          redirect.isThisComputer ? `a program on this computer (${redirect.host})` : redirect.host,
        ],
        ['For', '30 days, until you revoke it on the page Agents'],
      ]}
    />
    <p class="row">
      <Icon of={WarningIcon} size={18} />
      <span>
        Allow it only if you have just started this in a program that you trust. Any program can choose any
        name.
      </span>
    </p>
  </>
)
