import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog, InfoDialog } from '../../ui/dialog.tsx'
import { Check, Field, PasswordField, Select, TextField } from '../../ui/field.tsx'
import { CopiedValue, Segments, Snippet } from '../../ui/parts.tsx'
import { clientConfig } from './client-config.ts'
import { toolsWith } from './tools.ts'

const LABEL_LENGTH_MAX = 60
const TIMES = [
  { id: '1', title: '1 hour' },
  { id: '8', title: '8 hours' },
  { id: '24', title: '1 day' },
  { id: '168', title: '7 days' },
  { id: '720', title: '30 days' },
] as const

type Props = { route: Route; onCreated: () => void; onClose: () => void }

/** Creates an agent. Its token exists only while this dialog is open. */
export function NewAgentDialog({ route, onCreated, onClose }: Props) {
  const [label, setLabel] = useState('')
  const [hours, setHours] = useState('8')
  const [mode, setMode] = useState<'read' | 'chosen'>('read')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [unattended, setUnattended] = useState(false)
  const [password, setPassword] = useState('')
  const [token, setToken] = useState<string>()
  const me = useCall('readMe', {})

  const destructive = toolsWith('destructive', route.env)
  const tools = mode === 'read' ? [] : [...chosen]
  const asksForPassword = route.env === 'production' && tools.length > 0
  const hasPassword = me.data?.developer.hasPassword !== false
  const canBeUnattended =
    route.env === 'development' && tools.some((name) => destructive.some((tool) => tool.name === name))

  const create = useAction(async () => {
    const created = await call('createAgent', {
      params: route.params,
      body: {
        label: label.trim(),
        tools,
        expiresInHours: Number(hours),
        ...(canBeUnattended && unattended && { unattended }),
        ...(asksForPassword && { password }),
      },
    })
    setToken(created.token)
    onCreated()
  })

  if (token !== undefined) return <CreatedAgent route={route} token={token} onClose={onClose} />
  return (
    <FormDialog
      route={route}
      title="New agent"
      about="A program that acts for you in this environment, with a token of its own. It never has more rights than you."
      wide
      submit={`Create${inProduction(route)}`}
      disabled={label.trim() === '' || (asksForPassword && (password === '' || !hasPassword))}
      action={create}
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="Such as the name of the program. The audit log shows it."
        maxLength={LABEL_LENGTH_MAX}
        value={label}
        change={setLabel}
        autocomplete="off"
        autofocus
      />
      <Field label="Valid for" hint="You can revoke it at any time.">
        {(id, describedBy) => (
          <Select id={id} aria-describedby={describedBy} items={TIMES} value={hours} change={setHours} />
        )}
      </Field>
      <div class="stack">
        <Segments
          label="Tools"
          items={[
            { id: 'read', title: 'Read only' },
            { id: 'chosen', title: 'Choose tools' },
          ]}
          chosen={mode}
          choose={setMode}
        />
        <p class="small soft">
          It can read players, config, versions, logs and the audit log. It never sees keys, secrets, mails
          and money.
        </p>
      </div>
      {mode === 'chosen' && (
        <>
          <ToolGroup
            title="Changes"
            about="The agent uses these on its own."
            tools={toolsWith('write', route.env)}
            chosen={chosen}
            choose={setChosen}
          />
          <ToolGroup
            title="Destructive"
            about="Before each of these calls you are asked to approve it."
            tools={destructive}
            chosen={chosen}
            choose={setChosen}
          />
        </>
      )}
      {canBeUnattended && (
        <Check checked={unattended} change={setUnattended}>
          Do not ask me before destructive calls, because this is development
        </Check>
      )}
      {asksForPassword && hasPassword && (
        <PasswordField
          hint="An agent that changes something in production needs it."
          value={password}
          change={setPassword}
        />
      )}
      {asksForPassword && !hasPassword && (
        <p role="alert">Set a password on the page Account first: such an agent in production needs it.</p>
      )}
    </FormDialog>
  )
}

type GroupProps = {
  title: string
  about: string
  tools: { name: string; text: string }[]
  chosen: ReadonlySet<string>
  choose: (chosen: ReadonlySet<string>) => void
}

function ToolGroup({ title, about, tools, chosen, choose }: GroupProps) {
  const names = new Set(tools.map(({ name }) => name))
  const set = (changed: ReadonlySet<string>, isChosen: boolean) =>
    choose(isChosen ? chosen.union(changed) : chosen.difference(changed))
  return (
    <fieldset class="tool-group">
      <legend>{title}</legend>
      <p class="small soft">{about}</p>
      <Check checked={names.isSubsetOf(chosen)} change={(isChosen) => set(names, isChosen)}>
        <strong>All {tools.length}</strong>
      </Check>
      {tools.map(({ name, text }) => (
        <Check key={name} checked={chosen.has(name)} change={(isChosen) => set(new Set([name]), isChosen)}>
          <span>
            <code>{name}</code> {text}
          </span>
        </Check>
      ))}
    </fieldset>
  )
}

function CreatedAgent({ route, token, onClose }: { route: Route; token: string; onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  return (
    <InfoDialog
      route={route}
      title="The token of your agent"
      label="New agent"
      about="It is shown only now. Afterwards you can only create another agent."
      isKept={!isStored}
      onClose={onClose}
    >
      <CopiedValue text={token} label="Copy the token" />
      <p class="small soft">
        Programs that speak MCP connect with this file, <code>.mcp.json</code> in the folder of your project.
        It contains the token: do not commit it.
      </p>
      <Snippet label=".mcp.json" code={clientConfig(location.origin, token)} />
      <p class="small soft">
        Without a token in a file: <code>svc agent login</code> and <code>svc mcp install --write</code> in
        that folder.
      </p>
      <Check checked={isStored} change={setStored}>
        I have stored the token
      </Check>
    </InfoDialog>
  )
}
